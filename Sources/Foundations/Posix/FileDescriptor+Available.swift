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
  /// Reads and writes do not wait from now on. The corresponding C function is `fcntl`.
  package func setNonBlocking() {
    _ = fcntl(rawValue, F_SETFL, fcntl(rawValue, F_GETFL) | O_NONBLOCK)
  }

  /// The number of bytes that a read would return now: the bytes in a pipe, socket or terminal, or
  /// the rest of a regular file; 0 if it is unknown.
  ///
  /// The corresponding request is `FIONREAD`; for a regular file the C functions are
  /// `fstat` and `lseek`.
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
  /// - Parameter buffer: the destination, which must not be empty.
  /// - Throws: the errors of read(2) except `EAGAIN` and `EINTR`.
  public func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> ReadOutcome {
    let count = try transferred { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
    return switch count {
    case nil: .wouldBlock
    case 0: .endOfFile
    case let count?: .bytes(count)
    }
  }

  /// Reads at an offset: fewer bytes than requested only at the end. The corresponding C
  /// function is `pread`.
  package func bytes(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
    var outcome: Result<Void, Errno> = .success(())
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      outcome = Result { () throws(Errno) in
        while filled < count {
          let place = UnsafeMutableRawBufferPointer(
            rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
          let read = try systemCall {
            Glibc.pread(rawValue, place.baseAddress, place.count, off_t(offset + filled))
          }
          if read == 0 { break }
          filled += read
        }
      }
    }
    try outcome.get()
    return bytes
  }

  /// Writes as many bytes as possible without blocking. The corresponding C function is `write`.
  ///
  /// - Parameter bytes: the bytes to write, at least one.
  /// - Throws: the errors of write(2) except `EAGAIN` and `EINTR`.
  public func writeAvailable(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    let count = try transferred { Glibc.write(rawValue, bytes.baseAddress, bytes.count) }
    return switch count {
    case nil, 0: .wouldBlock
    case let count?: .bytes(count)
    }
  }

  /// Repeats a call while signals interrupt it. Inlined, because it is called for all bytes
  /// of a session.
  ///
  /// - Returns: the result of the call; nil if it would block.
  @inline(__always)
  private func transferred(_ call: () -> Int) throws(Errno) -> Int? {
    while true {
      let count = call()
      if count >= 0 { return count }
      switch Errno.last {
      case .interrupted: continue
      case .wouldBlock: return nil
      case let error: throw error
      }
    }
  }
}
