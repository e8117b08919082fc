import Glibc

/// A local date and time of day.
///
/// The corresponding C type is `struct tm`, with months from 1 and full years.
public struct CalendarTime: Hashable, Sendable {
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day, 1 to 31.
  public let day: Int
  public let hour: Int
  public let minute: Int
  /// The second, 0 to 60.
  public let second: Int
  /// The offset from UTC in seconds; negative in the west.
  public let offset: Int

  /// Creates a time from its fields.
  public init(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, offset: Int
  ) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
    self.offset = offset
  }
}

extension CalendarTime {
  /// Converts seconds since 1970 to the user's local time. The corresponding C
  /// function is `localtime_r`.
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
