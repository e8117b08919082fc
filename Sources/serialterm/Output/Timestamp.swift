import Glibc
import Time

/// A point in time in the forms that people and programs use.
struct Timestamp {
  private let time: timespec

  /// The current time of the wall clock.
  static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(time: time)
  }

  private init(time: timespec) { self.time = time }

  /// The time of a read.
  init(_ moment: Moment) {
    time = timespec(
      tv_sec: Int(moment.wallClock / 1_000_000_000), tv_nsec: Int(moment.wallClock % 1_000_000_000))
  }

  init(seconds: Int, microseconds: Int) {
    time = timespec(tv_sec: seconds, tv_nsec: microseconds * 1_000)
  }

  /// RFC 3339 with microseconds, in UTC: `2026-11-21T06:31:00.123456Z`.
  var rfc3339: String {
    var seconds = time.tv_sec
    var fields = tm()
    gmtime_r(&seconds, &fields)
    return format("%Y-%m-%dT%H:%M:%S", fields) + "." + padded(time.tv_nsec / 1_000, to: 6) + "Z"
  }

  /// The local time of day, with milliseconds: `07:31:00.123`.
  var timeOfDay: String {
    var seconds = time.tv_sec
    var fields = tm()
    localtime_r(&seconds, &fields)
    return format("%H:%M:%S", fields) + "." + padded(time.tv_nsec / 1_000_000, to: 3)
  }

  /// The local date and time, to the minute: `2026-11-21 07:31`.
  var minute: String {
    var seconds = time.tv_sec
    var fields = tm()
    localtime_r(&seconds, &fields)
    return format("%Y-%m-%d %H:%M", fields)
  }

  /// The local time in a form for file names: `20261121-073100`.
  var fileName: String {
    var seconds = time.tv_sec
    var fields = tm()
    localtime_r(&seconds, &fields)
    return format("%Y%m%d-%H%M%S", fields)
  }

  private func format(_ format: String, _ fields: tm) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
      var fields = fields
      // All formats here are shorter than 32 bytes.
      strftime(buffer.baseAddress!, buffer.count, format, &fields)
      return String(cString: buffer.baseAddress!)
    }
  }

  private func padded(_ number: Int, to width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: width - digits.count) + digits
  }
}
