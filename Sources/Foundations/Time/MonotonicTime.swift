import Glibc

/// A point in time that is independent of changes to the wall clock.
///
/// The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC`.
public struct MonotonicTime: Hashable, Comparable, Sendable {
  /// Nanoseconds since an unspecified start; on Linux, since the boot.
  public var nanoseconds: Int64

  /// Creates a point in time.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The current time.
  public static var now: MonotonicTime {
    var time = timespec()
    _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Whether the first point is earlier than the second.
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The point that is later by a duration, clamped to the maximum value: 292 years
  /// after the start.
  public static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds.addingClamped(duration.nanoseconds))
  }

  /// The duration from the second point to the first.
  public static func - (end: MonotonicTime, start: MonotonicTime) -> Duration {
    .nanoseconds(end.nanoseconds) - .nanoseconds(start.nanoseconds)
  }
}

extension Duration {
  /// The duration in whole nanoseconds, clamped to 64 bits (292 years).
  public var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    return whole.addingClamped(attoseconds / 1_000_000_000)
  }
}

extension Int64 {
  /// The sum, clamped to the range of the type.
  package func addingClamped(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, clamped to the range of the type.
  package func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }
}
