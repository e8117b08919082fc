import Glibc
public import SystemPackage

/// The result of a read from a non-blocking descriptor.
public enum ReadOutcome: Equatable, Sendable {
  /// The number of bytes read, at least 1.
  case bytes(Int)
  /// No bytes are available now.
  case wouldBlock
  /// The end of file.
  case endOfFile
}

/// The result of a write to a non-blocking descriptor.
public enum WriteOutcome: Equatable, Sendable {
  /// The number of bytes written, at least 1.
  case bytes(Int)
  /// No byte can be written now.
  case wouldBlock
}

extension FileDescriptor {
  /// How many bytes a read would bring now: what waits in a pipe, a socket or a terminal, or the
  /// rest of a regular file. 0 where that cannot be known.
  ///
  /// The corresponding request is `FIONREAD`; for a regular file the C functions are `fstat` and
  /// `lseek`.
  public var availableByteCount: Int {
    if let status = try? stat(), status.type == .regular {
      guard let offset = try? seek(offset: 0, from: .current) else { return 0 }
      return Int(max(0, status.size - offset))
    }
    var count: CInt = 0
    return ioctl(rawValue, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Reads available bytes. The corresponding C function is `read`.
  ///
  /// - Parameter buffer: the destination; must not be empty.
  /// - Throws: the errors of read(2) except `EAGAIN` and `EINTR`.
  public func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> ReadOutcome {
    while true {
      let count = Glibc.read(rawValue, buffer.baseAddress, buffer.count)
      if count >= 0 { return count == 0 ? .endOfFile : .bytes(count) }
      switch Errno.last {
      case .interrupted: continue
      case .wouldBlock: return .wouldBlock
      case let error: throw error
      }
    }
  }

  /// Writes as many bytes as possible without blocking. The corresponding C function is `write`.
  ///
  /// - Parameter bytes: the bytes; must not be empty.
  /// - Throws: the errors of write(2) except `EAGAIN` and `EINTR`.
  public func writeAvailable(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    while true {
      let count = Glibc.write(rawValue, bytes.baseAddress, bytes.count)
      if count >= 0 { return count == 0 ? .wouldBlock : .bytes(count) }
      switch Errno.last {
      case .interrupted: continue
      case .wouldBlock: return .wouldBlock
      case let error: throw error
      }
    }
  }
}
