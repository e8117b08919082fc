import EventLoop
import Observing
import SerialCore
import Sessions
import Terminal
import Time

/// Shows the state of the session in the last line of the screen. It draws at most ten times a
/// second, and only after a change.
final class StatusDisplay {
  private let focus: PortFocus
  private let console: Console
  private let loop: IOLoop
  /// Returns the keys that list the commands; nil if the user has none.
  private let helpKeys: () -> String?
  /// Whether the state is shown.
  private var isOn = false
  private lazy var showing = Coalescer(on: loop, interval: .milliseconds(100)) {
    [unowned self] in show()
  }
  private var settlingTimer: LoopTimer?
  private var shown: Port?
  private var receivedRate = RateMeter()
  private var sentRate = RateMeter()

  private var observations: [AnyObject] = []
  /// The observation of what the port with the focus shows.
  private var shownBytes: AnyObject?

  init(
    of focus: PortFocus, on console: Console, loop: IOLoop, helpKeys: @escaping () -> String?
  ) {
    (self.focus, self.console, self.loop, self.helpKeys) = (focus, console, loop, helpKeys)
  }

  /// Starts to follow the focus, and the state and the counters of its port.
  func begin() {
    observations = [
      focus.changes.observe { [unowned self] _ in stateDidChange() },
      focus.$port.observe { [unowned self] _ in followCounters() },
    ]
    followCounters()
    stateDidChange()
  }

  private func stateDidChange() {
    let state = focus.state
    isOn = state.showsStatus || state.isTransferring
    if isOn { showing.post() } else { hide() }
  }

  /// Each received piece changes the counters. It is not copied.
  private func followCounters() {
    shownBytes = focus.port.text.shown.observe { [unowned self] _ in
      if isOn { showing.post() }
    }
  }

  private func show() {
    let now = loop.now
    let port = focus.port.port
    if shown !== port {
      // The counters of another port are not a growth of the previous port's counters.
      (receivedRate, sentRate) = (RateMeter(), RateMeter())
      shown = port
    }
    receivedRate.update(port.session.receivedByteCount, at: now)
    sentRate.update(port.session.sentByteCount, at: now)
    console.screen.setStatus(
      StatusText(
        state: port.model.state, receivedRate: receivedRate.perSecond,
        sentRate: sentRate.perSecond, waitingCount: focus.port.text.waitingCount,
        hiddenLineCount: focus.port.view.hiddenLineCount,
        unjudgedLineCount: focus.port.view.unjudgedLineCount,
        frameCounts: focus.port.view.frameCounts, helpKeys: helpKeys()
      ).parts)
    // A rate falls to zero without an event.
    guard !receivedRate.isSettled || !sentRate.isSettled else { return }
    settlingTimer = loop.schedule(after: RateMeter.window) { [unowned self] in show() }
  }

  private func hide() {
    showing.cancel()
    settlingTimer = nil
    console.screen.setStatus(nil)
  }
}

/// Measures how fast a count grows.
struct RateMeter {
  /// The time over which the rate is measured.
  static let window = Duration.seconds(1)

  /// The last result, per second.
  private(set) var perSecond = 0
  private var since: (count: Int, time: MonotonicTime)?
  private var lastCount = 0

  /// Whether the result will not change until the count does.
  var isSettled: Bool { perSecond == 0 && lastCount == since?.count }

  /// Takes the count at a time.
  mutating func update(_ count: Int, at now: MonotonicTime) {
    lastCount = count
    guard let (oldCount, start) = since else { return since = (count, now) }
    let passed = (now - start).nanoseconds
    guard passed >= Self.window.nanoseconds else { return }
    perSecond = Int(Double(count - oldCount) * 1e9 / Double(passed))
    since = (count, now)
  }
}
