import Glibc
public import SystemPackage

/// Wakes the loop of another thread: a pipe with a byte in it or none. See pipe(2).
public final class WakePipe: Sendable {
  /// Readable from a waking to the next clearing.
  public let reader: FileDescriptor
  private let writer: FileDescriptor

  /// - Throws: what pipe(2) says.
  public init() throws(Errno) {
    var ends: [CInt] = [-1, -1]
    // Swift's Glibc module has no pipe2(2). No other thread starts programs.
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
  public func wake() {
    var byte: UInt8 = 1
    // A full pipe wakes as well as one with room.
    _ = withUnsafeBytes(of: &byte) { try? writer.writeAvailable($0) }
  }

  /// Takes what wakings have left in the pipe.
  public func clear() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while case .bytes? = try? reader.readAvailable(into: buffer) {}
    }
  }
}
