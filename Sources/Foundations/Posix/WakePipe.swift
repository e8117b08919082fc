import Glibc
package import SystemPackage

/// Wakes the event loop of another thread through a pipe. See pipe(2).
package final class WakePipe: Sendable {
  /// Readable from a ``wake()`` to the next ``clear()``.
  package let reader: FileDescriptor
  private let writer: FileDescriptor

  /// Creates a pipe.
  ///
  /// - Throws: the errors of pipe(2).
  package init() throws(Errno) {
    var ends: [CInt] = [-1, -1]
    // Swift's Glibc module has no pipe2(2). FD_CLOEXEC can be set later, because no other
    // thread starts programs.
    try systemCall { pipe(&ends) }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reader = FileDescriptor(rawValue: ends[0])
    writer = FileDescriptor(rawValue: ends[1])
  }

  deinit {
    _ = Glibc.close(reader.rawValue)
    _ = Glibc.close(writer.rawValue)
  }

  /// Makes the pipe readable.
  package func wake() {
    var byte: UInt8 = 1
    // A full pipe is readable too, so a failed write can be ignored.
    _ = withUnsafeBytes(of: &byte) { try? writer.writeAvailable($0) }
  }

  /// Empties the pipe.
  package func clear() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while case .bytes(buffer.count)? = try? reader.readAvailable(into: buffer) {}
    }
  }
}
