import Glibc
import TextTools
import Time

/// A point in time in the forms that people and programs use.
struct Timestamp {
  /// Whole seconds since 1970-01-01 UTC, and the nanoseconds after them.
  private let seconds: Int
  private let nanoseconds: Int

  /// The current time of the wall clock.
  static var now: Timestamp { Timestamp(.now) }

  /// The time of a read.
  init(_ moment: Moment) {
    seconds = Int(moment.wallClock / 1_000_000_000)
    nanoseconds = Int(moment.wallClock % 1_000_000_000)
  }

  init(seconds: Int, microseconds: Int) {
    (self.seconds, nanoseconds) = (seconds, microseconds * 1_000)
  }

  /// RFC 3339 with microseconds, in UTC: `2026-11-21T06:31:00.123456Z`.
  var rfc3339: String {
    format("%Y-%m-%dT%H:%M:%S", gmtime_r) + "." + (nanoseconds / 1_000).padded(to: 6) + "Z"
  }

  /// The local time of day, with milliseconds: `07:31:00.123`.
  var timeOfDay: String {
    format("%H:%M:%S", localtime_r) + "." + (nanoseconds / 1_000_000).padded(to: 3)
  }

  /// The local date and time, to the minute: `2026-11-21 07:31`.
  var minute: String { format("%Y-%m-%d %H:%M", localtime_r) }

  /// - Parameter convert: `gmtime_r` or `localtime_r`.
  private func format(
    _ format: String,
    _ convert: (UnsafePointer<time_t>?, UnsafeMutablePointer<tm>?) -> UnsafeMutablePointer<tm>?
  ) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      var (seconds, fields) = (seconds, tm())
      _ = convert(&seconds, &fields)
      // All formats here are shorter than 32 bytes.
      strftime(buffer.baseAddress!, buffer.count, format, &fields)
      return String(cString: buffer.baseAddress!)
    }
  }
}
