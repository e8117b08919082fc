package import EventLoop
package import SerialCore

/// Plays a line sequence whenever a session's port is opened, also after its device came back. Nothing
/// is sent until the sequence has ended, because it may reset the device.
package final class OpeningSequence: SessionObserver {
  /// Called when a step failed; the rest of the sequence is skipped.
  package var onFailure: (SerialError) -> Void = { _ in }

  /// The sequence; nil for none.
  package var sequence: LineSequence?
  private let session: Session
  private let loop: IOLoop
  /// The sequence that is being played.
  private var runner: ExchangeRunner<LinePlay>?
  /// Why the last step failed.
  private var error: SerialError?
  /// Pauses sending while a sequence is played.
  private var sendingPause: Session.Pause?
  /// Called once, when the sequence has ended.
  private var whenOver: (() -> Void)?

  /// Plays nothing until ``sequence`` is set and the port is opened.
  package init(of session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self, of: .stateChange)
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    // New settings of an open port are not an opening.
    guard old.isOpen != new.isOpen else { return }
    runner?.stop()
    if session.state.isOpen, let sequence { play(sequence) }
  }

  private func play(_ sequence: LineSequence) {
    sendingPause = session.pauseSending()
    let runner = ExchangeRunner(LinePlay(sequence), on: session, loop: loop)
    runner.perform = { [unowned self] in $1(perform($0)) }
    runner.onEnd = { [unowned self] in ended($0) }
    self.runner = runner
    // It needs no pen, so it cannot be refused.
    _ = try? runner.begin()
  }

  private func perform(_ operation: LineOperation) -> Bool {
    do throws(SerialError) {
      switch operation {
      case .setLines(let asserting, let deasserting):
        try session.setModemLines(asserting: asserting, deasserting: deasserting)
      case .setBreak(let isOn): try session.setBreak(isOn)
      // A line sequence has no such step.
      case .sendBreak, .pulse, .setBaudRate: return false
      }
      return true
    } catch {
      self.error = error
      return false
    }
  }

  private func ended(_ end: LinePlay.End) {
    runner = nil
    sendingPause = nil
    if end == .failed, let error { onFailure(error) }
    let action = whenOver
    whenOver = nil
    action?()
  }

  /// Whether the sequence is being played.
  package var isPlaying: Bool { runner != nil }

  /// Performs an action when the present sequence has ended, a step has failed or the port is gone; at
  /// once if no sequence is being played.
  package func afterwards(_ action: @escaping () -> Void) {
    if isPlaying { whenOver = action } else { action() }
  }
}
