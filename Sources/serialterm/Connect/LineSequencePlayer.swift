import EventLoop
import SerialCore

/// Takes the steps of a line sequence on a session's port, with the loop's timers for its waits.
final class LineSequencePlayer {
  /// Called when a step failed; the rest of the sequence is left out.
  var onFailure: (SerialError) -> Void = { _ in }
  /// Called when the last step was taken.
  var onEnd: () -> Void = {}

  private let session: Session
  private let loop: EventLoop
  private var rest: LineSequence.Iterator?
  private var timer: Timer?

  init(_ session: Session, on loop: EventLoop) {
    self.session = session
    self.loop = loop
  }

  /// Whether a sequence is being played.
  var isPlaying: Bool { rest != nil }

  /// Begins a sequence; one that is being played ends where it is.
  func play(_ sequence: LineSequence) {
    rest = sequence.makeIterator()
    goOn()
  }

  /// Ends a sequence where it is.
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
