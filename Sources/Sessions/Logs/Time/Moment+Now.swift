import Glibc
import Posix
public import TextStages

// The module TextStages does not read clocks, so this extension is here.

extension Moment {
  /// The moment at another time of the wall clock, which may come from another computer. The monotonic time moves by the
  /// same amount, but not to before the start of its clock, and never past this moment: nothing was read in the future.
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
      wallClock: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec),
      monotonic: UInt64(MonotonicTime.now.nanoseconds))
  }
}

extension CalendarTime {
  /// Converts seconds since 1970 to the user's local time. The corresponding C function is `localtime_r`.
  public init(local second: UInt64) {
    var time = time_t(second)
    var fields = tm()
    localtime_r(&time, &fields)
    self.init(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec),
      offset: fields.tm_gmtoff)
  }
}
