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
