import Glibc

/// The time at which bytes were read, by two clocks.
public struct Moment: Hashable, Sendable {
  /// Nanoseconds since 1970-01-01 UTC, by the clock that can be set: `CLOCK_REALTIME`.
  public let wallClock: UInt64
  /// Nanoseconds of the clock that cannot be set, `CLOCK_MONOTONIC`. Only
  /// differences are meaningful.
  public let monotonic: UInt64

  /// Creates a moment from both clocks, in nanoseconds.
  public init(wallClock: UInt64, monotonic: UInt64) {
    self.wallClock = wallClock
    self.monotonic = monotonic
  }
}

extension Moment {
  /// The moment at another time of the wall clock, which may come from another computer. The
  /// monotonic time moves by the same amount, but not to before the start of its clock, and never
  /// past this moment: nothing was read in the future.
  public func moved(to wallClock: UInt64) -> Moment {
    let (age, isLater) = self.wallClock.subtractingReportingOverflow(wallClock)
    return Moment(
      wallClock: wallClock, monotonic: isLater ? monotonic : monotonic - min(age, monotonic))
  }

  /// The present moment by both clocks. The corresponding C function is `clock_gettime`.
  public static var now: Moment {
    var time = timespec()
    // This cannot fail for this clock.
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(
      wallClock: wallClock(at: time), monotonic: UInt64(MonotonicTime.now.nanoseconds))
  }

  /// A time in nanoseconds since 1970. A clock that is wrong may show a time before 1970, which is
  /// 0 here, or one after the year 2554, which is the greatest number.
  static func wallClock(at time: timespec) -> UInt64 {
    guard let seconds = UInt64(exactly: time.tv_sec) else { return 0 }
    let (whole, isTooLate) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isPastEnd) = whole.addingReportingOverflow(UInt64(clamping: time.tv_nsec))
    return isTooLate || isPastEnd ? .max : sum
  }
}
