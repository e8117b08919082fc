import Observing
import SerialCore

/// Updates the ``TerminalState`` by observing the session, and reports its changes.
final class TerminalStateModel: SessionObserver {
  private(set) var state: TerminalState
  let changes = Observable<Change<TerminalState>>()

  init(_ state: TerminalState) { self.state = state }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    update {
      $0.session = new
      $0.requestedSettings = session.requestedSettings
      $0.capabilities = session.capabilities
      $0.modemLines = session.modemLines
      $0.exchange = session.exchange
    }
  }

  func session(_ session: Session, didHandPenFrom old: Author, to new: Author) {
    update {
      $0.exchange = session.exchange
      $0.progress = nil
    }
  }

  func session(
    _ session: Session, didChangeModemLinesFrom old: ModemLines, to new: ModemLines
  ) {
    update { $0.modemLines = new }
  }

  /// Changes the state, and reports it if it differs.
  func update(_ change: (inout TerminalState) -> Void) {
    let old = state
    change(&state)
    if old != state { changes.notify(Change(from: old, to: state)) }
  }
}

extension Session {
  /// The author that has the pen, if that is not the owner.
  fileprivate var exchange: Author? { writer == owner ? nil : writer }
}
