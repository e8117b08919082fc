import Glibc
import Posix
import Views

extension Moment {
  /// The present, by both clocks.
  static var now: Moment {
    Moment(wallClock: nanoseconds(CLOCK_REALTIME), monotonic: nanoseconds(CLOCK_MONOTONIC))
  }

  /// The corresponding C function is `clock_gettime`, which cannot fail for these clocks.
  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

extension CalendarTime {
  /// A second since 1970 where the user is. The corresponding C function is `localtime_r`.
  static func local(_ second: UInt64) -> CalendarTime {
    var time = time_t(second)
    var fields = tm()
    localtime_r(&time, &fields)
    return CalendarTime(
      year: Int(fields.tm_year) + 1900, month: Int(fields.tm_mon) + 1, day: Int(fields.tm_mday),
      hour: Int(fields.tm_hour), minute: Int(fields.tm_min), second: Int(fields.tm_sec),
      offset: fields.tm_gmtoff)
  }
}
