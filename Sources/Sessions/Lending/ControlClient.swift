import Framing
import Glibc
import Posix
package import SystemPackage
package import Time

/// A connection to the control socket of a session. A session that has released its port keeps it
/// released for as long as the connection lasts.
///
/// Nothing here waits longer than a deadline, however the session answers. So several sessions are
/// asked at the same time: first each gets the request, then all answers are awaited until one
/// deadline for all. One that comes too late finds what has arrived.
package final class ControlClient {
  private let descriptor: OwnedDescriptor
  private var input = FrameBuffer(.lines(limit: SessionSummary.limit - 1))

  /// The time that sessions have to release a port, or to reopen it.
  package static let patience = Duration.seconds(5)
  /// The time that sessions have to list their ports and people.
  static let listPatience = Duration.seconds(1)
  /// The maximum number of lines in such a list.
  private static let mostLines = 256

  /// Connects to a session's socket, and sends a request.
  ///
  /// - Throws: `Errno` of connect(2): `ECONNREFUSED` for a stale socket; `EAGAIN` for a session
  ///   that takes no clients. `Errno` of write(2).
  init(_ path: FilePath, sending line: String) throws(Errno) {
    let socket = try UnixSocket.make()
    try UnixSocket.connect(socket.borrowed, to: path)
    let bytes = Array("\(line)\n".utf8)
    // The buffer of a new socket has room for the request.
    try systemCall {
      bytes.withUnsafeBytes { write(socket.borrowed.rawValue, $0.baseAddress, $0.count) }
    }
    descriptor = socket
  }

  /// Asks for a port.
  ///
  /// - Throws: see the other initializer.
  package convenience init(_ path: FilePath, asking request: ControlRequest) throws(Errno) {
    try self.init(path, sending: request.line)
  }

  /// Waits for the reply to a request for a port.
  ///
  /// - Returns: nil if the session ends, or sends something that is not a reply.
  /// - Throws: `EAGAIN` if it does not reply in time.
  package func reply(until deadline: MonotonicTime) throws(Errno) -> ControlReply? {
    let answer = try nextReply(until: deadline)
    guard answer == .wait else { return answer }
    // No limit here: the session sends its queued bytes first, and limits the time for that itself.
    return try nextReply(until: nil)
  }

  /// Starts to give the port back.
  package func giveBack() { _ = shutdown(descriptor.borrowed.rawValue, CInt(SHUT_WR)) }

  /// Waits until the session has opened the port that was given back.
  ///
  /// - Returns: nil if the session has ended, or does not reply in time.
  package func replyToReturn(until deadline: MonotonicTime) -> ControlReply? {
    try? nextReply(until: deadline)
  }

  /// Waits until the session has replied with lines and closed the connection.
  ///
  /// - Returns: nil if it does not in time.
  func lines(until deadline: MonotonicTime) -> [String]? {
    var lines: [String] = []
    do throws(Errno) {
      while lines.count < Self.mostLines, let line = try nextLine(until: deadline) {
        lines.append(line)
      }
      return lines
    } catch {
      return nil
    }
  }

  private func nextReply(until deadline: MonotonicTime?) throws(Errno) -> ControlReply? {
    try nextLine(until: deadline).flatMap(ControlReply.init)
  }

  /// - Returns: nil at the end of the connection, and for a line that is too long.
  private func nextLine(until deadline: MonotonicTime?) throws(Errno) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      switch input.next() {
      case .success(let line): return line
      case .failure: return nil
      case nil: break
      }
      let outcome = buffer.withUnsafeMutableBytes { bytes in
        Result { () throws(Errno) in try descriptor.borrowed.readAvailable(into: bytes) }
      }
      switch try outcome.get() {
      case .bytes(let count): input.append(buffer[..<count])
      case .endOfFile: return nil
      case .wouldBlock:
        guard !descriptor.borrowed.wait(for: .reading, until: deadline).isEmpty else {
          throw .wouldBlock
        }
      }
    }
  }
}
