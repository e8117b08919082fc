import EventLoop
import SerialCore

/// Plays a line sequence whenever a session's port is opened, also after its device came back. Nothing
/// is sent until the sequence has ended, because it may reset the device.
final class OpeningSequence: SessionObserver {
  /// Called when a step failed; the rest of the sequence is skipped.
  var onFailure: (SerialError) -> Void = { _ in }

  /// The sequence; nil for none.
  var sequence: LineSequence?
  private let player: LineSequencePlayer
  /// Pauses sending while a sequence is played.
  private var sendingPause: Session.Pause?
  /// Called once, when the sequence has ended.
  private var whenOver: (() -> Void)?

  init(of session: Session, on loop: IOLoop) {
    player = LineSequencePlayer(session, on: loop)
    player.onEnd = { [unowned self] in
      sendingPause = nil
      tellOver()
    }
    player.onFailure = { [unowned self] in
      sendingPause = nil
      onFailure($0)
      tellOver()
    }
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    // New settings of an open port are not an opening.
    guard old.isOpen != new.isOpen else { return }
    if session.state.isOpen, let sequence {
      sendingPause = session.pauseSending()
      player.play(sequence)
    } else {
      sendingPause = nil
      player.stop()
      tellOver()
    }
  }

  /// Whether the sequence is being played.
  var isPlaying: Bool { player.isPlaying }

  /// Performs an action when the present sequence has ended, a step has failed or the port is gone; at
  /// once if no sequence is being played.
  func afterwards(_ action: @escaping () -> Void) {
    if isPlaying { whenOver = action } else { action() }
  }

  private func tellOver() {
    let action = whenOver
    whenOver = nil
    action?()
  }
}
