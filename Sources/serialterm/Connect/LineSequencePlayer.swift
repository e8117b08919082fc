import EventLoop
import SerialCore

/// Performs the steps of a line sequence on a session's port. Timers of the loop make it wait.
final class LineSequencePlayer {
  /// Called when a step failed; the rest of the sequence is skipped.
  var onFailure: (SerialError) -> Void = { _ in }
  /// Called after the last step.
  var onEnd: () -> Void = {}

  private let session: Session
  private let loop: IOLoop
  private var rest: LineSequence.Iterator?
  private var timer: LoopTimer?

  init(_ session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
  }

  /// Whether a sequence is being played.
  var isPlaying: Bool { rest != nil }

  /// Starts a sequence. A sequence that is being played ends at its present step.
  func play(_ sequence: LineSequence) {
    rest = sequence.makeIterator()
    goOn()
  }

  /// Ends a sequence at its present step.
  func stop() {
    rest = nil
    timer = nil
  }

  private func goOn() {
    do throws(SerialError) {
      while let step = rest?.next() {
        switch step {
        case .set(let asserting, let deasserting):
          try session.setModemLines(asserting: asserting, deasserting: deasserting)
        case .setBreak(let isOn): try session.setBreak(isOn)
        case .wait(let duration):
          timer = loop.schedule(after: duration) { [unowned self] in goOn() }
          return
        }
      }
      stop()
      onEnd()
    } catch {
      stop()
      onFailure(error)
    }
  }
}
