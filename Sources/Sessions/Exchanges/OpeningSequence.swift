import Observing
package import SerialCore

/// Plays a line sequence whenever a session's port is opened, also after its device has returned.
package final class OpeningSequence {
  /// The sequence; nil for none.
  package var sequence: LineSequence?
  private let session: Session
  private var stateChanges: ObservationToken<SessionEvent>?
  private let player: SequencePlayer
  private let onFailure: (SerialError) -> Void

  /// The name of the sequence while it is played.
  package static let name = "on-open"

  /// Plays nothing until ``sequence`` is set and the port is opened.
  ///
  /// - Parameters:
  ///   - player: plays the sequence.
  ///   - onFailure: called when a step failed; the remaining steps are skipped.
  package init(
    of session: Session, with player: SequencePlayer, onFailure: @escaping (SerialError) -> Void
  ) {
    (self.session, self.player, self.onFailure) = (session, player, onFailure)
    stateChanges = session.observe(.stateChange, rank: .line) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    // New settings of an open port are not an opening.
    guard !old.isOpen, new.isOpen, session.state.isOpen, let sequence else { return }
    player.play(sequence, named: Self.name) { [unowned self] end in
      if case .failed(_, let error) = end { onFailure(error) }
    }
  }
}
