import Observing
package import SerialCore
import Telnet

/// Reports that a server which is read as plain bytes speaks telnet, once in a session.
///
/// It examines the first bytes after the session is open; the others do not pass through it.
package final class TelnetWatch {
  private let hub: Hub
  private let onTelnet: (Endpoint) -> Void
  private var stateChanges: ObservationToken<SessionEvent>?
  private var subscription: Hub.Subscription?
  private var hasReported = false

  /// Creates a watch.
  ///
  /// - Parameter onTelnet: called with the server's endpoint.
  package init(_ session: Session, _ hub: Hub, onTelnet: @escaping (Endpoint) -> Void) {
    (self.hub, self.onTelnet) = (hub, onTelnet)
    stateChanges = session.observe(.stateChange) { [unowned self] in look(in: $0.new) }
  }

  private func look(in state: SessionState) {
    subscription = nil
    guard case .open(let endpoint, _) = state, [.tcp, .unix].contains(endpoint.kind), !hasReported
    else { return }
    var detector = TelnetDetector()
    subscription = hub.subscribe(as: .listener) {
      [unowned self] bytes, _ in
      detector.add(bytes)
      guard let isTelnet = detector.verdict else { return }
      subscription = nil
      guard isTelnet else { return }
      hasReported = true
      onTelnet(endpoint)
    }
  }
}
