import EventLoop
import SerialCore

/// Plays a line sequence whenever a session's port is opened, also when its device came back. What
/// is to be sent waits until it has ended: it may be a reset.
final class OpeningSequence: SessionObserver {
  /// Called when a step failed; the rest of the sequence is left out.
  var onFailure: (SerialError) -> Void = { _ in }

  /// What is played; nil for nothing.
  var sequence: LineSequence?
  private let player: LineSequencePlayer

  init(of session: Session, on loop: EventLoop) {
    player = LineSequencePlayer(session, on: loop)
    player.onEnd = { [unowned session] in session.isSendingPaused = false }
    player.onFailure = { [unowned self, unowned session] in
      session.isSendingPaused = false
      onFailure($0)
    }
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    // New settings of an open port are no opening.
    guard old.isOpen != new.isOpen else { return }
    let sequence = session.state.isOpen ? sequence : nil
    session.isSendingPaused = sequence != nil
    if let sequence { player.play(sequence) } else { player.stop() }
  }
}
