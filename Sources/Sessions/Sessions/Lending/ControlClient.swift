import Framing
import Glibc
import Posix
package import SystemPackage

/// A connection to a session that releases its port for as long as the connection lasts.
package struct ControlClient: ~Copyable {
  private let descriptor: OwnedDescriptor
  private var input = FrameBuffer(.lines(limit: ControlReply.limit - 1))

  /// The time that a session has to reply.
  private static let patience = Duration.seconds(5)

  /// Connects to a session's socket.
  ///
  /// - Throws: `Errno` of connect(2): `ECONNREFUSED` for a stale socket.
  package init(_ path: FilePath) throws(Errno) {
    let socket = try UnixSocket.make(isBlocking: true)
    UnixSocket.setPatience(Self.patience, of: socket.borrowed)
    try UnixSocket.connect(socket.borrowed, to: path)
    descriptor = socket
  }

  /// Requests a port, and waits for the reply.
  ///
  /// - Returns: nil if the session ends, or sends something that is not a reply.
  /// - Throws: `EAGAIN` if it does not reply in time.
  package mutating func ask(_ request: ControlRequest) throws(Errno) -> ControlReply? {
    let bytes = Array("\(request.line)\n".utf8)
    // The buffer of a new socket has room for the request.
    try systemCall {
      bytes.withUnsafeBytes { write(descriptor.borrowed.rawValue, $0.baseAddress, $0.count) }
    }
    let answer = try nextReply()
    guard answer == .wait else { return answer }
    // No limit here: the session sends its queued bytes first, and limits the time for that itself.
    UnixSocket.setPatience(.zero, of: descriptor.borrowed)
    defer { UnixSocket.setPatience(Self.patience, of: descriptor.borrowed) }
    return try nextReply()
  }

  /// Gives the port back, and waits until the session has opened it.
  ///
  /// - Returns: nil if the session has ended, or does not reply.
  package mutating func returnPort() -> ControlReply? {
    _ = shutdown(descriptor.borrowed.rawValue, CInt(SHUT_WR))
    return try? nextReply()
  }

  /// Sends a request to a session, and waits until it has replied with lines and
  /// closed the connection.
  ///
  /// - Throws: `Errno` of connect(2); `EAGAIN` if it does not reply in time.
  static func ask(_ request: String, at path: FilePath) throws(Errno) -> [String] {
    let socket = try UnixSocket.make(isBlocking: true)
    UnixSocket.setPatience(listPatience, of: socket.borrowed)
    try UnixSocket.connect(socket.borrowed, to: path)
    let bytes = Array("\(request)\n".utf8)
    try systemCall {
      bytes.withUnsafeBytes { write(socket.borrowed.rawValue, $0.baseAddress, $0.count) }
    }
    var input = FrameBuffer(.lines(limit: SessionSummary.limit - 1))
    var lines: [String] = []
    while lines.count < mostLines {
      while let line = input.next() {
        guard case .success(let line) = line else { return lines }
        lines.append(line)
      }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = try systemCall {
        buffer.withUnsafeMutableBytes { read(socket.borrowed.rawValue, $0.baseAddress, $0.count) }
      }
      guard count > 0 else { break }
      input.append(buffer[..<count])
    }
    return lines
  }

  /// The time that a session has to list its ports and people.
  private static let listPatience = Duration.seconds(1)
  private static let mostLines = 256

  private mutating func nextReply() throws(Errno) -> ControlReply? {
    while true {
      switch input.next() {
      case .success(let line): return ControlReply(line: line)
      case .failure: return nil
      case nil: break
      }
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
