package import SerialCore
import Telnet

/// Reports that a server which is read as plain bytes speaks telnet, once in a session.
///
/// It examines the first bytes after the session is open; the others do not pass through it.
package final class TelnetWatch: SessionObserver {
  private let hub: Hub
  private let onTelnet: (Endpoint) -> Void
  private var subscription: Hub.Subscription?
  private var hasReported = false

  /// Creates a watch.
  ///
  /// - Parameter onTelnet: called with the server's endpoint.
  package init(_ session: Session, _ hub: Hub, onTelnet: @escaping (Endpoint) -> Void) {
    (self.hub, self.onTelnet) = (hub, onTelnet)
    session.addObserver(self, of: .stateChange)
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    subscription = nil
    guard case .open(let endpoint, _) = new, [.tcp, .unix].contains(endpoint.kind), !hasReported
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
