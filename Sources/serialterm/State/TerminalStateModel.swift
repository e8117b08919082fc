import Observing
import SerialCore

/// The observed state of one port. It follows what it observes, and announces its changes with the old and the new
/// state.
final class TerminalStateModel: SessionObserver {
  @Observed private(set) var state: TerminalState

  init(_ state: TerminalState) { _state = Observed(wrappedValue: state) }

  /// Changes parts of the state that no other object determines, such as the settings of the view.
  func update(_ change: (inout TerminalState) -> Void) { _state.update(change) }

  // MARK: The session

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
}

extension Session {
  /// The author that has the pen, if that is not the owner.
  fileprivate var exchange: Author? { writer == owner ? nil : writer }
}
