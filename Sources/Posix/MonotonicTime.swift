import Glibc

/// A point in time that no change of the wall clock moves.
///
/// The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC`.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since a start of the kernel's choice.
  public var nanoseconds: Int64

  /// Creates a point in time, which tests may choose.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The present.
  public static var now: MonotonicTime {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Which of two points comes first.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The point so much later, at most the last one that there is: 292 years after the start.
  public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds.addingClamped(duration.nanoseconds))
  }

  /// How much later the first point is.
  public static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
    .nanoseconds(end.nanoseconds) - .nanoseconds(start.nanoseconds)
  }
}

extension Duration {
  /// The duration in whole nanoseconds; what 64 bits cannot hold (292 years) becomes the limit.
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    return whole.addingClamped(attoseconds / 1_000_000_000)
  }
}

extension Int64 {
  /// The sum, or the limit that it would pass.
  fileprivate func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
