package import EventLoop
import NetworkLinks
package import Observing
package import SerialCore
package import Telnet

/// Reports that a server speaks another protocol than the one it is used with, once in a session:
/// telnet where plain bytes are expected, or RFC 2217, or none, where telnet is.
///
/// It examines the first bytes after the session is open; the others do not pass through it. A link
/// of telnet knows by itself.
package final class TelnetWatch {
  private let hub: Hub
  private let loop: IOLoop
  private let report: (Endpoint, StreamProtocol) -> Void
  private var stateChanges: ObservationToken<SessionEvent>?
  private var links: ObservationToken<any Link>?
  private var otherProtocol: ObservationToken<StreamProtocol>?
  private var subscription: Hub.Subscription?
  private var pause: LoopTimer?
  private var hasReported = false

  /// The silence after which a server's first commands are over: it waits for answers.
  private static let silence = Duration.milliseconds(500)

  /// Creates a watch.
  ///
  /// - Parameters:
  ///   - links: each link that is made.
  ///   - report: called with the server's endpoint, and what it speaks.
  package init(
    _ session: Session, _ hub: Hub, _ links: Observable<any Link>, on loop: IOLoop,
    report: @escaping (Endpoint, StreamProtocol) -> Void
  ) {
    (self.hub, self.loop, self.report) = (hub, loop, report)
    stateChanges = session.observe(.stateChange) { [unowned self] in look(in: $0.new) }
    self.links = links.observe { [unowned self] link in
      let endpoint = link.endpoint
      otherProtocol = (link as? NetworkLink)?.otherProtocol.observe { [unowned self] in
        reportOnce(endpoint, $0)
      }
    }
  }

  private func look(in state: SessionState) {
    (subscription, pause) = (nil, nil)
    guard case .open(let endpoint, _) = state, [.tcp, .unix].contains(endpoint.kind), !hasReported
    else { return }
    var detector = TelnetDetector()
    subscription = hub.subscribe(as: .listener) {
      [unowned self] bytes, _ in
      detector.add(bytes)
      guard let found = detector.verdict else { return }
      if detector.isOver { return end(endpoint, found) }
      pause = loop.schedule(after: Self.silence) { [unowned self] in end(endpoint, found) }
    }
  }

  private func end(_ endpoint: Endpoint, _ found: StreamProtocol) {
    (subscription, pause) = (nil, nil)
    if found != .raw { reportOnce(endpoint, found) }
  }

  private func reportOnce(_ endpoint: Endpoint, _ found: StreamProtocol) {
    guard !hasReported else { return }
    hasReported = true
    report(endpoint, found)
  }
}
