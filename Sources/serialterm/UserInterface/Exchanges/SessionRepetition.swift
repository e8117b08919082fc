import EventLoop
import Observing
import SerialCore
import Sessions
import TextTools
import Time

/// Sends a text at intervals for the user, as a snippet is sent, or bytes as hexadecimal input. It
/// does not have the pen, so that the user can type meanwhile.
///
/// It ends with anything that keeps the user from sending. A moment at which earlier bytes still
/// wait in the queue is missed: it is counted, and not caught up.
final class SessionRepetition {
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let leaving: Leaving
  private let app: App
  private var running: Running?

  /// A text that is being repeated.
  private struct Running {
    let order: RepeatOrder
    let port: PortPresenter
    var schedule: RepeatSchedule
    var timer: LoopTimer?
    var observations: [AnyObject] = []

    /// What is sent now.
    var message: Keyboard.Message {
      switch order.content {
      case .snippet(let snippet): .text(snippet.bytes(enter: port.model.state.lineEnding))
      case .numbers(let bytes): .numbers(bytes)
      }
    }
  }

  init(at focus: PortFocus, _ keyboard: Keyboard, _ leaving: Leaving, in app: App) {
    (self.focus, self.keyboard, self.leaving, self.app) = (focus, keyboard, leaving, app)
  }

  /// Sends a text at the port with the focus, now and at each interval. Another one ends.
  func start(_ order: RepeatOrder) {
    end(because: "another text is repeated")
    let schedule = RepeatSchedule(from: app.loop.now, every: order.interval, count: order.count)
    guard let schedule else { return }
    let port = focus.port
    port.model.update {
      $0.repeating = Repetition(
        text: order.text, interval: order.interval, count: order.count)
    }
    var running = Running(order: order, port: port, schedule: schedule)
    running.observations = [
      port.model.$state.observe { [unowned self] in stateDidChange(to: $0.new) },
      focus.$port.observe { [unowned self] _ in end(because: "you type to another port") },
      leaving.$isLeaving.observe { [unowned self] _ in end(because: "the session ends") },
    ]
    self.running = running
    proceed()
  }

  /// Sends the text no more, because the user wants it.
  func stop() { end(because: "stopped") }

  /// Ends the repetition if one runs, and reports the reason and what was sent.
  func end(because reason: String) {
    guard let running else { return }
    // This also ends the timer and the observations.
    self.running = nil
    // The state says what was sent. The schedule has counted a text that was refused.
    let sentCount = running.port.model.state.repeating?.doneCount ?? 0
    running.port.model.update { $0.repeating = nil }
    let repetition = Repetition(
      text: running.order.text, interval: running.order.interval, count: nil)
    let counts = "\(Int(sentCount).grouped) sent, \(Int(running.schedule.missedCount).grouped) late"
    running.port.say("the repetition of \(repetition.shownText) has ended (\(reason)): \(counts).")
  }

  private func stateDidChange(to state: TerminalState) {
    if let reason = RepeatOrder.needs.unmet(in: state) { end(because: reason.text) }
  }

  /// Sends the text if it is due, and waits for the next moment.
  private func proceed() {
    guard let port = running?.port else { return }
    if port.session.queuedByteCount > 0 {
      running?.schedule.miss(until: app.loop.now)
    } else if running?.schedule.advance(to: app.loop.now) == true {
      send()
    }
    // Sending may have ended it.
    guard let schedule = running?.schedule else { return }
    guard let next = schedule.next else { return end(because: "as ordered") }
    running?.timer = app.loop.schedule(after: next - app.loop.now) { [unowned self] in proceed() }
  }

  private func send() {
    guard let running else { return }
    do throws(Failure) {
      // The first one shows the checksum. The same would follow at each interval.
      let isFirst = running.port.model.state.repeating?.doneCount == 0
      try keyboard.send(running.message, showsChecksum: isFirst)
    } catch {
      return end(
        because: error.message.hasSuffix(".") ? String(error.message.dropLast()) : error.message)
    }
    running.port.model.update { $0.repeating?.doneCount += 1 }
  }
}
