import EventLoop
import Posix
import SystemPackage

/// A line in both directions between two ends, driven by a loop.
///
/// Nothing happens in it but by an event or at a deadline: while it is idle it makes no wakeup.
final class DuplexLine {
  /// How long a client that has bytes to read is waited for at a hang-up.
  private static let patience = Duration.seconds(1)

  /// Called once, last, when the line has ended of its own accord.
  var onHangUp: ((LoopbackHangUp) -> Void)?

  private let loop: EventLoop
  private let left: any WireEnd
  private let right: any WireEnd
  private var rightward: Pump
  private var leftward: Pump
  private var meter: DeliveryMeter
  private var state = State.running
  private var timer: (token: Timer, deadline: MonotonicTime)?

  private enum State { case running, lingering, ended }

  /// Joins two ends; the first thing happens in the loop's next turn.
  init(
    from left: any WireEnd, to right: any WireEnd, options: LoopbackOptions, on loop: EventLoop
  ) {
    self.loop = loop
    self.left = left
    self.right = right
    // Each direction meets faults of its own.
    var seeds = SplitMix64(seed: options.seed)
    rightward = Pump(Wire(options, seed: seeds.next()))
    leftward = Pump(Wire(options, seed: seeds.next()))
    meter = DeliveryMeter(limit: options.hangUpAfter)
    let now = MonotonicTime.now
    for end in [left, right] {
      end.start(at: now) { [weak self] in self?.handle($0) }
    }
    setTimer(now)
  }

  /// How many bytes wait in the two queues.
  var bufferedByteCount: Int { rightward.bufferedByteCount + leftward.bufferedByteCount }

  /// Ends the line and both its ends at once. ``onHangUp`` is not called.
  func hangUp() {
    state = .ended
    timer = nil
    left.hangUp()
    right.hangUp()
  }

  private func hangUp(_ reason: LoopbackHangUp) {
    hangUp()
    onHangUp?(reason)
  }

  // MARK: Events

  private func handle(_ event: WireEndEvent) {
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
      setTimer(now + Self.patience)
      try linger()
    } else {
      try arm(at: now)
    }
  }

  /// A hang-up throws away what clients have not read: they are waited for, with patience.
  private func linger() throws(Errno) {
    let isSilent = (left: try left.armForSilence(), right: try right.armForSilence())
    if isSilent.left && isSilent.right { hangUp(.limitReached) }
  }

  private func arm(at now: MonotonicTime) throws(Errno) {
    let ready = (
      left: try left.arm(for: interest(in: rightward.awaitsSource, and: leftward.awaitsSink)),
      right: try right.arm(for: interest(in: leftward.awaitsSource, and: rightward.awaitsSink))
    )
    if ready.left || ready.right {
      // In a turn of its own: who else is ready comes in between.
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
