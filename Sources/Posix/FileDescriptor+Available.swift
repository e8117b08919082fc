import Glibc
public import SystemPackage

/// What a read from a non-blocking descriptor brought.
public enum ReadOutcome: Equatable, Sendable {
  /// So many bytes, at least one.
  case bytes(Int)
  /// Nothing for now.
  case wouldBlock
  /// Nothing any more.
  case endOfFile
}

/// What a write to a non-blocking descriptor did.
public enum WriteOutcome: Equatable, Sendable {
  /// The first so many bytes were taken, at least one.
  case bytes(Int)
  /// Nothing was taken for now.
  case wouldBlock
}

extension FileDescriptor {
  /// Reads what there is. The corresponding C function is `read`.
  ///
  /// - Parameter buffer: where to; must not be empty.
  /// - Throws: what read(2) says, `EAGAIN` and `EINTR` excepted.
  public func readAvailable(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> ReadOutcome {
    do {
      let count = try systemCall { Glibc.read(rawValue, buffer.baseAddress, buffer.count) }
      return count == 0 ? .endOfFile : .bytes(count)
    } catch .wouldBlock {
      return .wouldBlock
    }
  }

  /// Writes what is taken without waiting. The corresponding C function is `write`.
  ///
  /// - Parameter bytes: what to write; must not be empty.
  /// - Throws: what write(2) says, `EAGAIN` and `EINTR` excepted.
  public func writeAvailable(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> WriteOutcome {
    do {
      let count = try systemCall { Glibc.write(rawValue, bytes.baseAddress, bytes.count) }
      return count == 0 ? .wouldBlock : .bytes(count)
    } catch .wouldBlock {
      return .wouldBlock
    }
  }
}
