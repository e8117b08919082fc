import EventLoop
import Framing
import Glibc
import NetworkLinks
import Posix
import SystemPackage

/// A client of a session's control socket. The port is lent for as long as the connection lasts: a
/// client that is killed gives the port back too.
///
/// A client that shuts down its writing side gives the port back and receives the result.
///
/// A client can also ask who uses the sessions, or join one: see ``SessionRequest``.
final class ControlConnection: Borrower {
  private let descriptor: OwnedDescriptor
  private let peer: (pid: pid_t, user: UserID)
  /// The present sessions.
  private let sessions: () -> [SessionController]
  private let ended: (ControlConnection) -> Void
  /// The lender of the session that has the requested port.
  private weak var lender: PortLender?
  private var watch: DescriptorWatch?
  private var deadline: LoopTimer?
  private var input = FrameBuffer(.lines(limit: ControlRequest.limit - 1))
  private var request: ControlRequest?

  /// The time that a client has to send its request.
  private static let patience = Duration.milliseconds(500)

  /// Takes over a client's connection.
  ///
  /// - Parameter ended: called once, when the connection ends. It is called in one of its methods.
  /// - Throws: `Errno` of getsockopt(2) and epoll_ctl(2); `EPERM` for a client of another user,
  ///   unless that is root.
  package init(
    _ client: consuming OwnedDescriptor, on loop: IOLoop,
    for sessions: @escaping () -> [SessionController],
    ended: @escaping (ControlConnection) -> Void
  ) throws(Errno) {
    peer = try StreamPeer.credentials(of: client.borrowed)
    descriptor = client
    self.sessions = sessions
    self.ended = ended
    guard peer.user == UserID(rawValue: geteuid()) || peer.user == UserID(rawValue: 0) else {
      throw .notPermitted
    }
    watch = try loop.watch(descriptor.borrowed, for: .reading) { [unowned self] in
      if $0.contains(.readable) { read() } else { end() }
    }
    deadline = loop.schedule(after: Self.patience) { [unowned self] in end() }
  }

  deinit { watch?.cancel() }

  package var name: String { "\(request?.borrower ?? "a program") (pid \(peer.pid))" }

  // MARK: The request

  private func read() {
    let outcome = withUnsafeTemporaryAllocation(byteCount: ControlRequest.limit, alignment: 1) {
      buffer -> ReadOutcome? in
      let outcome = try? descriptor.borrowed.readAvailable(into: buffer)
      // A client sends one request; anything after it is ignored.
      if case .bytes(let count) = outcome, request == nil { input.append(buffer[..<count]) }
      return outcome
    }
    switch outcome {
    case .bytes: handleRequest()
    case .wouldBlock: break
    case .endOfFile: handleEndOfFile()
    case nil: end()
    }
  }

  private func handleRequest() {
    guard request == nil else { return }
    switch input.next() {
    case .success(let line):
      if let request = SessionRequest(line: line) { return perform(request) }
      guard let request = ControlRequest(line: line) else { return refuse() }
      self.request = request
      deadline = nil
      lender = sessions().lazy.map(\.lender).first { $0.has(request.port) }
      guard let lender else { return receive(.other) }
      lender.lend(request.port, to: self)
    case .failure: refuse()
    case nil: break
    }
  }

  private func perform(_ request: SessionRequest) {
    switch request {
    case .list:
      for server in sessions().compactMap(\.server) { send(server.summary.line) }
    case .join, .joinNumber:
      let fitting = sessions().compactMap(\.server).filter { request.fits($0) }
      guard fitting.count == 1 else {
        reply(.no(fitting.isEmpty ? "it has no port of that name" : "it has several ports"))
        break
      }
      do throws(Errno) {
        // The bytes after the line already belong to the member that joins.
        try fitting[0].join(
          descriptor.borrowed, from: .process(peer.pid, peer.user), reading: input.removeRest())
      } catch {
        reply(.no("\(error)"))
      }
    }
    end()
  }

  private func refuse() {
    reply(.invalidRequest)
    end()
  }

  private func handleEndOfFile() {
    guard request != nil else { return end() }
    // From here on only the client's close matters. epoll always reports EPOLLHUP.
    guard let watch else { return end() }
    watch.setInterest(.hangUp)
    lender?.end(self)
  }

  // MARK: Replies

  package func receive(_ answer: ControlReply) {
    reply(answer)
    switch answer {
    case .wait, .released: break
    case .no, .other, .back, .waiting: end()
    }
  }

  /// A reply fits into the socket's buffer, unless the client has not read for a long time.
  private func reply(_ reply: ControlReply) {
    send(reply.line)
  }

  private func send(_ line: String) {
    guard watch != nil else { return }
    let bytes = Array("\(line)\n".utf8)
    let outcome = bytes.withUnsafeBytes { try? descriptor.borrowed.writeAvailable($0) }
    if outcome != .bytes(bytes.count) { end() }
  }

  private func end() {
    guard watch != nil else { return }
    watch = nil
    deadline = nil
    lender?.forget(self)
    ended(self)
  }
}

extension SessionRequest {
  /// Whether it is a request to join a port.
  fileprivate func fits(_ server: PortServer) -> Bool {
    switch self {
    case .list: false
    case .join(let port): port == nil || server.summary.port == port
    case .joinNumber(let number): server.number == number
    }
  }
}
