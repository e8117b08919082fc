import EventLoop
import Posix
import SystemPackage
import Time

/// A bidirectional line between two ends, driven by a loop.
///
/// It acts only on events and deadlines: an idle line causes no wake-ups.
final class DuplexLine {
  /// The time that a client has to read its bytes before a hang-up.
  private static let lingerTime = Duration.seconds(1)

  private let loop: IOLoop
  private let onHangUp: (LoopbackHangUp) -> Void
  private let left: any WireEnd
  private let right: any WireEnd
  private var rightward: Pump
  private var leftward: Pump
  private var meter: DeliveryMeter
  private var state = State.running
  private var timer: (token: LoopTimer, deadline: MonotonicTime)?

  private enum State { case running, lingering, ended }

  /// Connects two ends. The line starts in the loop's next turn.
  ///
  /// - Parameter onHangUp: called once, as the last action, when the line has ended on its own.
  init(
    from left: any WireEnd, to right: any WireEnd, options: LoopbackOptions, on loop: IOLoop,
    onHangUp: @escaping (LoopbackHangUp) -> Void
  ) {
    self.loop = loop
    self.onHangUp = onHangUp
    self.left = left
    self.right = right
    // Each direction has its own faults.
    var seeds = SplitMix64(seed: options.seed)
    rightward = Pump(Wire(options, seed: seeds.next()))
    leftward = Pump(Wire(options, seed: seeds.next()))
    meter = DeliveryMeter(limit: options.hangUpAfter)
    let now = MonotonicTime.now
    for end in [left, right] { end.start(at: now, for: self) }
    setTimer(now)
  }

  /// The number of bytes in the two queues.
  var bufferedByteCount: Int { rightward.bufferedByteCount + leftward.bufferedByteCount }

  /// Ends the line and both ends immediately, without calling the closure of the initializer.
  func hangUp() {
    state = .ended
    timer = nil
    left.hangUp()
    right.hangUp()
  }

  private func hangUp(_ reason: LoopbackHangUp) {
    hangUp()
    onHangUp(reason)
  }

  // MARK: Events

  /// Handles an event of an end.
  func handle(_ event: WireEndEvent) {
    switch event {
    case .ready: proceed()
    case .failed(let error): hangUp(.failed(error))
    }
  }

  private func proceed() {
    do {
      switch state {
      case .running: try run()
      case .lingering: try linger()
      case .ended: break
      }
    } catch {
      hangUp(.failed(error))
    }
  }

  private func run() throws(Errno) {
    let now = MonotonicTime.now
    left.advance(to: now)
    right.advance(to: now)
    try rightward.move(from: left, to: right, at: now, within: &meter)
    try leftward.move(from: right, to: left, at: now, within: &meter)
    if meter.isExhausted {
      state = .lingering
      setTimer(now + Self.lingerTime)
      try linger()
    } else {
      arm(at: now)
    }
  }

  /// Waits for a limited time until clients have read their bytes, because a hang-up
  /// discards unread bytes.
  private func linger() throws(Errno) {
    let isDrained = (left: try left.armForDrain(), right: try right.armForDrain())
    if isDrained.left && isDrained.right { hangUp(.limitReached) }
  }

  private func arm(at now: MonotonicTime) {
    let ready = (
      left: left.arm(for: interest(in: rightward.awaitsSource, and: leftward.awaitsSink)),
      right: right.arm(for: interest(in: leftward.awaitsSource, and: rightward.awaitsSink))
    )
    if ready.left || ready.right {
      // In a separate turn, so that other sources are handled in between.
      setTimer(now)
    } else {
      setTimer(
        [rightward.nextArrival, leftward.nextArrival, left.nextDeadline, right.nextDeadline]
          .compactMap(\.self).min())
    }
  }

  private func interest(in isReading: Bool, and isWriting: Bool) -> Interest {
    (isReading ? Interest.reading : []).union(isWriting ? .writing : [])
  }

  private func setTimer(_ deadline: MonotonicTime?) {
    guard deadline != timer?.deadline else { return }
    timer = deadline.map { deadline in
      let token = loop.schedule(after: deadline - .now) { [weak self] in self?.timerIsDue() }
      return (token, deadline)
    }
  }

  private func timerIsDue() {
    timer = nil
    if state == .lingering { hangUp(.limitReached) } else { proceed() }
  }
}
