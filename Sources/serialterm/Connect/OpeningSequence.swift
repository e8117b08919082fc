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
  /// Called once, when no sequence is played any more.
  private var whenOver: (() -> Void)?

  init(of session: Session, on loop: EventLoop) {
    player = LineSequencePlayer(session, on: loop)
    player.onEnd = { [unowned self, unowned session] in
      session.isSendingPaused = false
      tellOver()
    }
    player.onFailure = { [unowned self, unowned session] in
      session.isSendingPaused = false
      onFailure($0)
      tellOver()
    }
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    // New settings of an open port are no opening.
    guard old.isOpen != new.isOpen else { return }
    if session.state.isOpen, let sequence {
      session.isSendingPaused = true
      player.play(sequence)
    } else {
      session.isSendingPaused = false
      player.stop()
      tellOver()
    }
  }

  /// Whether the sequence is being played.
  var isPlaying: Bool { player.isPlaying }

  /// Does something when the sequence that is being played is over, or at once if none is: it has
  /// ended, a step of it has failed, or the port is gone.
  func afterwards(_ action: @escaping () -> Void) {
    if isPlaying { whenOver = action } else { action() }
  }

  private func tellOver() {
    let action = whenOver
    whenOver = nil
    action?()
  }
}
