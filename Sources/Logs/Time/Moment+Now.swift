import Glibc
import Posix
public import Views

// Views reads no clock, so this is here.

extension Moment {
  /// The moment with another time of the wall clock, by both clocks.
  public func moved(to wallClock: UInt64) -> Moment {
    Moment(wallClock: wallClock, monotonic: monotonic &- (self.wallClock &- wallClock))
  }

  /// The present, by both clocks. The corresponding C function is `clock_gettime`.
  public static var now: Moment {
    var time = timespec()
    // It cannot fail for this clock.
    clock_gettime(CLOCK_REALTIME, &time)
    return Moment(
      wallClock: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec),
      monotonic: UInt64(MonotonicTime.now.nanoseconds))
  }
}

extension CalendarTime {
  /// A second since 1970 where the user is. The corresponding C function is `localtime_r`.
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
