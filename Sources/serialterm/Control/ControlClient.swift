import Glibc
import Posix
import SystemPackage

/// One session that is asked to let go of its port; it has it back when this is gone.
struct ControlClient: ~Copyable {
  private let descriptor: OwnedDescriptor
  private var input = LineAssembler(limit: ControlReply.limit)

  /// How long a session may take to answer before it counts as one that does not.
  private static let patience = Duration.seconds(5)

  /// Connects to a session's socket.
  ///
  /// - Throws: what connect(2) says: `ECONNREFUSED` for a socket that was left behind.
  init(_ path: FilePath) throws(Errno) {
    let socket = try UnixSocket.make(isBlocking: true)
    UnixSocket.setPatience(Self.patience, of: socket.borrowed)
    try UnixSocket.connect(socket.borrowed, to: path)
    descriptor = socket
  }

  /// Asks for a port, and waits for the answer.
  ///
  /// - Returns: nil when the session ends meanwhile, or says what is no answer.
  /// - Throws: `EAGAIN` when it does not answer.
  mutating func ask(_ request: ControlRequest) throws(Errno) -> ControlReply? {
    let bytes = Array("\(request.line)\n".utf8)
    // A socket that nothing was written to has room for it.
    try systemCall {
      bytes.withUnsafeBytes { write(descriptor.borrowed.rawValue, $0.baseAddress, $0.count) }
    }
    let answer = try nextReply()
    guard answer == .wait else { return answer }
    // It is at work, within a patience of its own.
    UnixSocket.setPatience(.zero, of: descriptor.borrowed)
    defer { UnixSocket.setPatience(Self.patience, of: descriptor.borrowed) }
    return try nextReply()
  }

  /// Gives the port back, and waits until the session has it.
  ///
  /// - Returns: nil when the session has ended, or does not answer.
  mutating func giveBack() -> ControlReply? {
    _ = shutdown(descriptor.borrowed.rawValue, CInt(SHUT_WR))
    return try? nextReply()
  }

  private mutating func nextReply() throws(Errno) -> ControlReply? {
    while true {
      if let line = input.next() { return ControlReply(line: line) }
      if input.isOverlong { return nil }
      var buffer = [UInt8](repeating: 0, count: 256)
      let count = try systemCall {
        buffer.withUnsafeMutableBytes {
          read(descriptor.borrowed.rawValue, $0.baseAddress, $0.count)
        }
      }
      guard count > 0 else { return nil }
      input.append(buffer[..<count])
    }
  }
}
