import Time

/// How long the device may wait for clients that take nothing, while others want its
/// bytes. A value.
///
/// It is a total over time: short waits in a row count like a long one, and clients that take turns
/// share it. A client that takes bytes as fast as a serial port can send them costs nothing,
/// however often the device waits for it.
struct HoldBudget {
  /// The maximum total of the waits within ``window``.
  static let limit = Duration.seconds(2)
  /// The time after which a wait is forgotten.
  static let window = Duration.seconds(60)
  /// The minimum time for which a wait is begun, so that waits are not cut into tiny ones.
  static let least = Duration.milliseconds(50)
  /// The number of bytes that a client takes in a second without a cost: more than a serial port of
  /// 10 Mbit/s sends.
  private static let freeRate: Int64 = 1_048_576
  /// The number of waits that are distinguished. Older ones are forgotten together.
  private static let capacity = 64

  private struct Wait {
    var end: MonotonicTime
    var length: Duration
  }

  /// The waits that are not forgotten, the oldest first.
  private var waits: [Wait] = []

  /// Records a wait.
  ///
  /// - Parameters:
  ///   - length: how long the device waited.
  ///   - count: the number of bytes that the client took meanwhile.
  ///   - end: the end of the wait.
  mutating func spend(_ length: Duration, taking count: Int, until end: MonotonicTime) {
    // More than 60 MiB are free in any wait that is not forgotten, and the product fits.
    let free = Int64(min(max(0, count), 1 << 26)) * 1_000_000_000 / Self.freeRate
    let cost = length - .nanoseconds(free)
    guard cost > .zero else { return }
    if waits.count == Self.capacity {
      waits[1].length += waits[0].length
      waits.removeFirst()
    }
    waits.append(Wait(end: end, length: cost))
  }

  /// The time that the device may still wait.
  mutating func rest(at now: MonotonicTime) -> Duration {
    waits.removeAll { now - $0.end >= Self.window }
    return max(.zero, waits.reduce(Self.limit) { $0 - $1.length })
  }
}
