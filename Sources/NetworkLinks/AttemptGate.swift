import Posix

/// Limits how many connections are accepted in a time, as a value: a burst of them, and then a steady number a
/// second. Those that come faster wait in the kernel's queue.
struct AttemptGate {
  /// The most connections at once.
  static let burst = 100
  /// The time that one more connection takes to be allowed.
  static let interval = Duration.milliseconds(20)

  /// Until when the connections so far are paid for.
  private var paidUntil: MonotonicTime?

  init() {}

  /// How long no connection is accepted; nil if one may be accepted now.
  func wait(at now: MonotonicTime) -> Duration? {
    guard let paidUntil else { return nil }
    let excess = paidUntil - now - Self.interval * (Self.burst - 1)
    return excess > .zero ? excess : nil
  }

  /// Notes a connection that was accepted.
  mutating func note(at now: MonotonicTime) {
    let start = paidUntil.map { max($0, now) } ?? now
    paidUntil = start + Self.interval
  }
}
