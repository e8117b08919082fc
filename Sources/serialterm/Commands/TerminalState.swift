import Observing
import SerialCore

/// All that decides what a user may do, and how things are shown, as one value.
struct TerminalState: Hashable {
  var session = SessionState.closed(nil)
  /// What is asked of the line; what the driver took stands in ``session``.
  var requestedSettings = LineSettings()
  /// Whether bytes wait that the device does not take.
  var isHeld = false
  /// Whether nothing is ever sent.
  var isReadOnly = false
  /// Whether a lost device is waited for.
  var reconnects = true
  /// Whether what is typed is shown.
  var echoesLocally = false
}

/// Keeps the ``TerminalState`` up to date from what it observes, and tells of its changes.
final class TerminalStateModel: SessionObserver {
  private(set) var state: TerminalState
  let changes = Observable<Change<TerminalState>>()

  init(_ state: TerminalState) { self.state = state }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    update {
      $0.session = new
      $0.requestedSettings = session.requestedSettings
    }
  }

  /// Changes the state, and tells of it if it differs.
  func update(_ change: (inout TerminalState) -> Void) {
    let old = state
    change(&state)
    if old != state { changes.notify(Change(from: old, to: state)) }
  }
}
