/// The time limits and the number of attempts of ZMODEM.
enum ZmodemPatience {
  /// The time after which an unanswered request is repeated, not counting the time on the line. The
  /// specification has 10 s.
  static let request = Duration.seconds(10)
  /// The time after which a receiver repeats its invitation.
  static let invitation = Duration.seconds(5)
  /// The time without data after which a receiver requests the rest of the file. A sender that
  /// waits this long for an acknowledgement asks for the position of the receiver.
  static let data = Duration.seconds(5)
  /// The time after which a sender repeats the end of the session, and how often it does.
  static let farewell = Duration.seconds(3)
  static let farewells = 3
  /// The time that a receiver waits for the last two characters of a session.
  static let lastCharacters = Duration.milliseconds(500)
  /// The number of errors in a row, without any progress between them, that ends the transfer.
  static let errors = 25
}

/// The common part of the two sides of ZMODEM: the actions that answer an event, the number of
/// bytes that the port has not taken, the timer, and how a transfer is broken off.
struct ZmodemSide {
  let conditions: TransferConditions
  private(set) var now = Duration.zero
  /// The number of sent bytes that the driver of the port has not taken.
  private(set) var unsentCount = 0
  /// The total number of bytes that were sent and not withdrawn.
  private(set) var sentCount = 0
  /// Whether the port is lost.
  private(set) var isLost = false
  private(set) var hasFinished = false
  private var actions: [TransferAction] = []
  /// The time of the timer; nil if it is off.
  private var timer: Duration?
  /// The time at which the line has carried the sent bytes. It is later while ``unsentCount``
  /// is not 0.
  private(set) var carriedTime = Duration.zero
  /// The number of bytes that were sent since the port had taken everything.
  private var burstCount = 0

  /// The end of a transfer that is being broken off.
  private var closing: ClosingPhase?

  init(_ conditions: TransferConditions) { self.conditions = conditions }

  var isBreakingOff: Bool { closing != nil }

  mutating func begin(at now: Duration) { self.now = now }

  /// The actions, and the one that sets the timer.
  ///
  /// While breaking off, ``ClosingPhase`` sets the timer, and every wake-up ends the silence.
  ///
  /// - Parameter wakeTime: the time of the next wake-up; nil for none. Otherwise waking too early
  ///   does no harm, so a timer that is set to an earlier time is not changed.
  mutating func end(wakeTime: Duration?) -> [TransferAction] {
    if !hasFinished, !isBreakingOff {
      if let wakeTime {
        if timer.map({ wakeTime < $0 || $0 <= now }) ?? true {
          timer = wakeTime
          actions.append(.wake(at: wakeTime))
        }
      } else if timer != nil {
        timer = nil
        actions.append(.wake(at: nil))
      }
    }
    let ended = actions
    actions = []
    return ended
  }

  // MARK: Actions

  mutating func perform(_ action: TransferAction) { actions.append(action) }

  mutating func send(_ bytes: [UInt8]) {
    guard !isLost, !bytes.isEmpty else { return }
    if unsentCount == 0 { burstCount = 0 }
    unsentCount += bytes.count
    sentCount += bytes.count
    burstCount += bytes.count
    actions.append(.send(bytes))
  }

  mutating func send(_ header: ZmodemHeader) { send(ZmodemEncoder.hex(header)) }

  /// Withdraws the bytes that the driver of the port has not taken.
  mutating func withdraw() {
    guard unsentCount > 0 else { return }
    actions.append(.withdraw)
    discard()
  }

  /// Passes on the text before the first header, without an `rz` with a return, which
  /// starts a receiver.
  mutating func pass(_ text: [UInt8]) {
    let command = Array("rz\r".utf8)
    let rest = text.suffix(command.count) == command[...] ? text.dropLast(command.count) : text[...]
    if !rest.isEmpty { actions.append(.pass(Array(rest))) }
  }

  mutating func finish(_ end: TransferEnd) {
    hasFinished = true
    actions.append(.finish(end))
  }

  /// Breaks off the transfer: cancels it, unless the other side did, and waits until the other
  /// side is silent. The first failure is the reason.
  mutating func fail(_ failure: TransferFailure) {
    guard closing == nil else { return }
    guard !isLost else { return finish(.failed(failure)) }
    withdraw()
    if failure != .cancelled { send(cancelSequence) }
    let phase = ClosingPhase(failure, at: now)
    closing = phase
    actions += phase.begin(at: now)
  }

  // MARK: Events

  mutating func portAccepted(_ count: Int) {
    unsentCount = max(unsentCount - count, 0)
    if unsentCount == 0 { carriedTime = now + lineTime }
  }

  mutating func portWasLost() {
    isLost = true
    discard()
  }

  mutating func portIsBack() { isLost = false }

  mutating func woke() { timer = nil }

  /// Handles an event while the transfer is being broken off.
  mutating func handleWhileBreakingOff(_ event: TransferEvent) {
    let last = closing?.handle(event, at: now) ?? []
    if case .finish = last.last { hasFinished = true }
    actions += last
  }

  /// The time to repeat the last bytes if no answer arrives; nil until the port has taken them.
  func time(for interval: Duration) -> Duration? {
    unsentCount > 0 ? nil : carriedTime + interval
  }

  private mutating func discard() {
    sentCount -= unsentCount
    unsentCount = 0
    carriedTime = now
  }

  /// The time that the line needs for the bytes that the port took last. These are at most 4 KiB,
  /// which is the size of the kernel's buffer of a port.
  private var lineTime: Duration {
    guard let rate = conditions.bytesPerSecond, rate > 0 else { return .zero }
    return .seconds(1) * min(burstCount, 4_096) / rate
  }
}
