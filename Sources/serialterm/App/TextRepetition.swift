import EventLoop
import Observing
import SerialCore
import Sessions
import TextTools
import Time

/// Sends a message at intervals. It does not have the pen, so that other messages can be sent
/// meanwhile.
///
/// It ends with anything that keeps its user from sending. A moment at which earlier bytes still
/// wait in the queue is missed: it is counted, and not caught up.
final class TextRepetition {
  private let loop: IOLoop
  private let send: (OutgoingMessage, _ isFirst: Bool) throws(Failure) -> Void
  private let onEnd: (Port, String) -> Void
  private var running: Running?

  /// A message that is being repeated.
  private struct Running {
    let order: RepeatOrder
    let port: Port
    var schedule: RepeatSchedule
    var timer: LoopTimer?
    var changes: ObservationToken<Change<TerminalState>>?
  }

  /// - Parameters:
  ///   - send: sends the message to the port that ``start(_:at:)`` was called with.
  ///   - onEnd: called with the port, the reason of the end and what was sent, as a sentence.
  init(
    on loop: IOLoop, send: @escaping (OutgoingMessage, _ isFirst: Bool) throws(Failure) -> Void,
    onEnd: @escaping (Port, String) -> Void
  ) {
    (self.loop, self.send, self.onEnd) = (loop, send, onEnd)
  }

  /// Sends a message to a port, now and at each interval. Another one ends.
  func start(_ order: RepeatOrder, at port: Port) {
    end(because: "another text is repeated")
    let schedule = RepeatSchedule(from: loop.now, every: order.interval, count: order.count)
    guard let schedule else { return }
    port.model.update {
      $0.repeating = Repetition(
        text: order.text, interval: order.interval, count: order.count)
    }
    var running = Running(order: order, port: port, schedule: schedule)
    running.changes = port.model.$state.observe { [unowned self] in stateDidChange(to: $0.new) }
    self.running = running
    proceed()
  }

  /// Sends the message no more, because the user wants it.
  func stop() { end(because: "stopped") }

  /// Ends the repetition if one runs, and reports the reason and what was sent.
  func end(because reason: String) {
    guard let running else { return }
    // This also ends the timer and the observation.
    self.running = nil
    // The state says what was sent. The schedule has counted a text that was refused.
    let sentCount = running.port.model.state.repeating?.doneCount ?? 0
    running.port.model.update { $0.repeating = nil }
    let repetition = Repetition(
      text: running.order.text, interval: running.order.interval, count: nil)
    let counts = "\(Int(sentCount).grouped) sent, \(Int(running.schedule.missedCount).grouped) late"
    onEnd(
      running.port,
      "the repetition of \(repetition.shownText) has ended (\(reason)): \(counts).")
  }

  private func stateDidChange(to state: TerminalState) {
    if let reason = RepeatOrder.needs.unmet(in: state) { end(because: reason.text) }
  }

  /// Sends the message if it is due, and waits for the next moment.
  private func proceed() {
    guard let port = running?.port else { return }
    if port.session.queuedByteCount > 0 {
      running?.schedule.miss(until: loop.now)
    } else if running?.schedule.advance(to: loop.now) == true {
      sendNext()
    }
    // Sending may have ended it.
    guard let schedule = running?.schedule else { return }
    guard let next = schedule.next else { return end(because: "as ordered") }
    running?.timer = loop.schedule(after: next - loop.now) { [unowned self] in proceed() }
  }

  private func sendNext() {
    guard let running else { return }
    let state = running.port.model.state
    do throws(Failure) {
      try send(
        running.order.content.message(enter: state.lineEnding), state.repeating?.doneCount == 0)
    } catch {
      return end(
        because: error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
    }
    running.port.model.update { $0.repeating?.doneCount += 1 }
  }
}
