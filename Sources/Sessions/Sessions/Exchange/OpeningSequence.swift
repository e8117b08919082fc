package import SerialCore

/// Plays a line sequence whenever a session's port is opened, also after its device has returned.
package final class OpeningSequence: SessionObserver {
  /// Called when a step failed; the remaining steps are skipped.
  package var onFailure: (SerialError) -> Void = { _ in }

  /// The sequence; nil for none.
  package var sequence: LineSequence?
  private let session: Session
  private let player: SequencePlayer

  /// The name of the sequence while it is played.
  package static let name = "on-open"

  /// Plays nothing until ``sequence`` is set and the port is opened.
  ///
  /// - Parameter player: plays the sequence; it observes the session before this.
  package init(of session: Session, with player: SequencePlayer) {
    self.session = session
    self.player = player
    session.addObserver(self, of: .stateChange)
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    // New settings of an open port are not an opening.
    guard !old.isOpen, new.isOpen, session.state.isOpen, let sequence else { return }
    player.play(sequence, named: Self.name) { [unowned self] end in
      if case .failed(_, let error) = end { onFailure(error) }
    }
  }
}
