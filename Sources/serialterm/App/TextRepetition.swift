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
/// wait is missed: it is counted, and not caught up. They wait in the queue of the port or, if that
/// is a session that was joined, in the queue of its owner.
final class TextRepetition {
  private let loop: IOLoop
  private let isHeldUp: () -> Bool
  private let send: (OutgoingMessage, _ isFirst: Bool) throws(Failure) -> Void
  private let onEnd: (Port, End) -> Void
  private var running: Running?

  /// A message that is being repeated.
  private struct Running {
    let order: RepeatOrder
    let port: Port
    var schedule: RepeatSchedule
    let sent: SentCheck
    var timer: LoopTimer?
    var changes: ObservationToken<Change<TerminalState>>?
  }

  /// How a repetition has ended.
  struct End {
    /// The message, and the number of times that it was sent.
    let repetition: Repetition
    let reason: Reason
    /// The number of moments that were missed.
    let missedCount: Int64

    /// The sentence for people.
    var sentence: String {
      "the repetition of \(repetition.shownText) has ended (\(reason)): "
        + "\(Int(repetition.doneCount).grouped) sent, \(Int(missedCount).grouped) late."
    }
  }

  /// - Parameters:
  ///   - isHeldUp: whether something else of the user is sent first. The moment is missed then.
  ///   - send: sends the message to the port that ``start(_:at:)`` was called with.
  ///   - onEnd: called with the port and the end.
  init(
    on loop: IOLoop, isHeldUp: @escaping () -> Bool = { false },
    send: @escaping (OutgoingMessage, _ isFirst: Bool) throws(Failure) -> Void,
    onEnd: @escaping (Port, End) -> Void
  ) {
    (self.loop, self.isHeldUp, self.send, self.onEnd) = (loop, isHeldUp, send, onEnd)
  }

  /// Sends a message to a port, now and at each interval. Another one ends.
  ///
  /// - Throws: ``Failure`` if it cannot be sent now. Then it is not repeated.
  func start(_ order: RepeatOrder, at port: Port) throws(Failure) {
    end(because: .replaced)
    let schedule = RepeatSchedule(from: loop.now, every: order.interval, count: order.count)
    guard let schedule else { return }
    port.model.update {
      $0.repeating = Repetition(
        text: order.text, interval: order.interval, count: order.count)
    }
    running = Running(
      order: order, port: port, schedule: schedule, sent: SentCheck(of: port.controller))
    do throws(Failure) {
      try proceed()
      // Sending it may have found that the device is gone.
      if let reason = RepeatOrder.needs.unmet(in: port.model.state) {
        throw Failure(.otherFailure, "not sent: \(reason).")
      }
    } catch {
      _ = forget(because: .stopped)
      throw error
    }
    running?.changes = port.model.$state.observe { [unowned self] in
      if let reason = RepeatOrder.needs.unmet(in: $0.new) { end(because: reason) }
    }
  }

  /// Ends the repetition if one runs, and reports the reason and what was sent.
  ///
  /// - Returns: the same; nil if none runs.
  @discardableResult
  func end(because reason: Reason) -> End? {
    guard let running, let end = forget(because: reason) else { return nil }
    onEnd(running.port, end)
    return end
  }

  private func forget(because reason: Reason) -> End? {
    // The state says what was sent. The schedule has counted a text that was refused.
    guard let running, let repetition = running.port.model.state.repeating else { return nil }
    // This also ends the timer and the observation.
    self.running = nil
    running.port.model.update { $0.repeating = nil }
    return End(
      repetition: repetition, reason: reason, missedCount: running.schedule.missedCount)
  }

  /// Sends the message if it is due, and waits for the next moment.
  private func proceed() throws(Failure) {
    guard running?.schedule.next != nil else { return _ = end(because: .asOrdered) }
    if isHeldUp() || running?.sent.isWaiting() == true {
      running?.schedule.miss(until: loop.now)
    } else if running?.schedule.advance(to: loop.now) == true {
      try sendNext()
    }
    guard let schedule = running?.schedule else { return }
    // After the last time, who has ordered it first gets the answer to that.
    let next = schedule.next ?? loop.now
    running?.timer = loop.schedule(after: next - loop.now) { [unowned self] in
      do throws(Failure) { try proceed() } catch { end(because: .notSent(error.message)) }
    }
  }

  private func sendNext() throws(Failure) {
    guard let running else { return }
    let state = running.port.model.state
    try send(
      running.order.content.message(enter: state.lineEnding), state.repeating?.doneCount == 0)
    running.port.model.update { $0.repeating?.doneCount += 1 }
    running.sent.didWrite()
  }
}

/// Why a repetition has ended, besides the reasons that keep its user from sending.
extension Reason {
  static let asOrdered = Reason("as-ordered", "as ordered")
  static let stopped = Reason("stopped", "stopped")
  static let replaced = Reason("replaced", "another text is repeated")
  static let otherPort = Reason("other-port", "you type to another port")
  fileprivate static func notSent(_ sentence: String) -> Reason {
    Reason("not-sent", sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence)
  }
}
