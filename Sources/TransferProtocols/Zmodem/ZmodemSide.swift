/// How long ZMODEM waits, and how often it tries.
enum ZmodemPatience {
  /// A request without an answer is repeated after this time, besides what the line needs for it. The
  /// specification has 10 s.
  static let request = Duration.seconds(10)
  /// A receiver repeats its invitation after this time.
  static let invitation = Duration.seconds(5)
  /// A receiver asks for the rest of the file after this time without data. A sender that waits for an
  /// acknowledgement asks where the receiver is.
  static let data = Duration.seconds(5)
  /// A sender that has ended the session repeats that after this time, this many times.
  static let farewell = Duration.seconds(3)
  static let farewells = 3
  /// A receiver waits this long for the last two characters of a session.
  static let lastCharacters = Duration.milliseconds(500)
  /// After a cancellation, what the other side still sends is skipped until it is silent for this time, at
  /// most for a second.
  static let silence = Duration.milliseconds(300)
  static let longestSilence = Duration.seconds(1)
  /// This many errors in a row, without any progress between them, end the transfer.
  static let errors = 25
}

/// What the two sides of ZMODEM have in common: the actions that answer an event, the count of what the port
/// has not taken, the timer, and how a transfer is broken off.
struct ZmodemSide {
  let conditions: TransferConditions
  private(set) var now = Duration.zero
  /// The number of bytes that were sent, and that the driver of the port has not taken.
  private(set) var unsentCount = 0
  /// The number of bytes that were ever sent and not withdrawn.
  private(set) var sentCount = 0
  /// Whether the port is lost.
  private(set) var isLost = false
  private(set) var hasFinished = false
  private var actions: [TransferAction] = []
  /// When the timer rings; nil if it is off.
  private var timer: Duration?
  /// When the line has carried what was sent. It is later while ``unsentCount`` is not 0.
  private(set) var carriedTime = Duration.zero
  /// What was sent since the port had taken everything.
  private var burstCount = 0

  /// What came since the transfer is being broken off.
  private var lastText = TrailingText()
  /// How the transfer was broken off.
  private var breakOff: (failure: TransferFailure, silentTime: Duration, lastTime: Duration)?

  init(_ conditions: TransferConditions) { self.conditions = conditions }

  var isBreakingOff: Bool { breakOff != nil }

  mutating func begin(at now: Duration) { self.now = now }

  /// The actions, besides the timer's.
  ///
  /// - Parameter wakeTime: when to be woken; nil for never. Being woken too early does no harm, so that a
  ///   timer that rings before that is left as it is.
  mutating func end(wakeTime: Duration?) -> [TransferAction] {
    if !hasFinished {
      let wanted = breakOff.map { min($0.silentTime, $0.lastTime) } ?? wakeTime
      if let wanted {
        if timer.map({ wanted < $0 || $0 <= now }) ?? true {
          timer = wanted
          actions.append(.wake(at: wanted))
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

  /// Takes back what the driver of the port has not taken.
  mutating func withdraw() {
    guard unsentCount > 0 else { return }
    actions.append(.withdraw)
    discard()
  }

  /// Passes on the text before the first header, without `rz` and a return: those start a receiver.
  mutating func pass(_ text: [UInt8]) {
    let command = Array("rz\r".utf8)
    let rest = text.suffix(command.count) == command[...] ? text.dropLast(command.count) : text[...]
    if !rest.isEmpty { actions.append(.pass(Array(rest))) }
  }

  mutating func finish(_ end: TransferEnd) {
    hasFinished = true
    breakOff = nil
    actions.append(.finish(end))
  }

  /// Breaks the transfer off: cancels, unless the other side did, and waits until that is silent.
  mutating func fail(_ failure: TransferFailure) {
    guard !isLost else { return finish(.failed(failure)) }
    withdraw()
    if failure != .cancelled { send(cancelSequence) }
    breakOff = (failure, now + ZmodemPatience.silence, now + ZmodemPatience.longestSilence)
  }

  // MARK: Events

  mutating func portTook(_ count: Int) {
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
    guard let breakOff else { return }
    switch event {
    case .received(let bytes):
      lastText.add(bytes)
      self.breakOff?.silentTime = now + ZmodemPatience.silence
    case .woken where now >= min(breakOff.silentTime, breakOff.lastTime):
      if now < breakOff.lastTime { actions += lastText.actions }
      finish(.failed(breakOff.failure))
    case .lost: finish(.failed(breakOff.failure))
    default: break
    }
  }

  /// When to repeat what was sent just now, if no answer comes; nil while the port has not taken it.
  func time(for interval: Duration) -> Duration? {
    unsentCount > 0 ? nil : carriedTime + interval
  }

  private mutating func discard() {
    sentCount -= unsentCount
    unsentCount = 0
    carriedTime = now
  }

  /// How long the line needs for what the port took last: at most 4 KiB, which is what the kernel's buffer
  /// of a port holds.
  private var lineTime: Duration {
    guard let rate = conditions.bytesPerSecond, rate > 0 else { return .zero }
    return .seconds(1) * min(burstCount, 4_096) / rate
  }
}
