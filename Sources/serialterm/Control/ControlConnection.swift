import EventLoop
import Glibc
import Posix
import SystemPackage

/// A client of a session: what it asks for lasts as long as its connection does.
///
/// So a client that was killed gives the port back like one that ended. One that shuts down its
/// writing side has ended too, and hears what became of the port.
final class ControlConnection: Borrower {
  /// Called once, when the connection is over.
  var onEnd: () -> Void = {}

  private let descriptor: OwnedDescriptor
  private let peer: UnixSocket.Peer
  private let desk: ReleaseDesk
  private var watch: DescriptorWatch?
  private var deadline: Timer?
  private var input = LineAssembler(limit: ControlRequest.limit)
  private var request: ControlRequest?

  /// How long a client may take to say what it wants.
  private static let patience = Duration.seconds(2)

  /// Takes over a client's connection.
  ///
  /// - Throws: what getsockopt(2) and epoll_ctl(2) say, and `EPERM` for another user's client.
  init(
    _ client: consuming OwnedDescriptor, for desk: ReleaseDesk, on loop: EventLoop
  ) throws(Errno) {
    peer = try UnixSocket.peer(of: client.borrowed)
    descriptor = client
    self.desk = desk
    guard peer.user == UserID(rawValue: geteuid()) || peer.user == UserID(rawValue: 0) else {
      throw .notPermitted
    }
    watch = try loop.watch(descriptor.borrowed, for: .reading) { [unowned self] in
      if $0.contains(.readable) { read() } else { end() }
    }
    deadline = loop.schedule(after: Self.patience) { [unowned self] in end() }
  }

  deinit { watch?.cancel() }

  var name: String { "\(request?.borrower ?? "somebody") (pid \(peer.pid))" }

  // MARK: What it says

  private func read() {
    let outcome = withUnsafeTemporaryAllocation(byteCount: ControlRequest.limit, alignment: 1) {
      buffer -> ReadOutcome? in
      let outcome = try? descriptor.borrowed.readAvailable(into: buffer)
      // There is one request; what comes after it is not kept.
      if case .bytes(let count) = outcome, request == nil { input.append(buffer[..<count]) }
      return outcome
    }
    switch outcome {
    case .bytes: take()
    case .wouldBlock: break
    case .endOfFile: giveBack()
    case nil: end()
    }
  }

  private func take() {
    guard request == nil else { return }
    if let line = input.next() {
      guard let request = ControlRequest(line: line) else { return refuse() }
      self.request = request
      deadline = nil
      desk.lend(request.device, to: self)
    } else if input.isOverlong {
      refuse()
    }
  }

  private func refuse() {
    reply(.no("the request is not understood"))
    end()
  }

  private func giveBack() {
    guard request != nil else { return end() }
    // From here on only the other end's closing counts, which is told of whatever is asked for.
    guard (try? watch?.setInterest(.hangUp)) != nil else { return end() }
    desk.end(self)
  }

  // MARK: What it hears

  func hear(_ answer: ControlReply) {
    reply(answer)
    switch answer {
    case .wait, .released: break
    case .no, .other, .back, .waiting: end()
    }
  }

  /// A reply has room in every socket's buffer: whoever leaves none has not read for long.
  private func reply(_ reply: ControlReply) {
    guard watch != nil else { return }
    let bytes = Array("\(reply.line)\n".utf8)
    let outcome = bytes.withUnsafeBytes { try? descriptor.borrowed.writeAvailable($0) }
    if outcome != .bytes(bytes.count) { end() }
  }

  private func end() {
    guard watch != nil else { return }
    watch = nil
    deadline = nil
    desk.forget(self)
    onEnd()
  }
}
