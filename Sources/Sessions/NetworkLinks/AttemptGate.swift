import Time

/// Limits the rate of accepted connections: it allows a burst, then a constant number per second. A
/// value. Further connections wait in the kernel's queue.
struct AttemptGate {
  /// The maximum number of connections at once.
  static let burst = 100
  /// The time after which one more connection is allowed.
  static let interval = Duration.milliseconds(20)

  /// The time until which the accepted connections use up the allowed rate.
  private var paidUntil: MonotonicTime?

  init() {}

  /// The time for which no connection is accepted; nil if one may be accepted now.
  func wait(at now: MonotonicTime) -> Duration? {
    guard let paidUntil else { return nil }
    let excess = paidUntil - now - Self.interval * (Self.burst - 1)
    return excess > .zero ? excess : nil
  }

  /// Records an accepted connection.
  mutating func note(at now: MonotonicTime) {
    let start = paidUntil.map { max($0, now) } ?? now
    paidUntil = start + Self.interval
  }
}
