import TestSupport
import Testing

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct UniversalTimeTests {
  private func written(_ time: UInt64) -> String {
    var output: [UInt8] = []
    UniversalTime.append(time, to: &output)
    return text(output)
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000000Z"),
    (951_782_400, "2000-02-29T00:00:00.000000Z"),
    (1_709_164_800, "2024-02-29T00:00:00.000000Z"),
    (1_795_242_660, "2026-11-21T06:31:00.000000Z"),
    (4_107_542_399, "2100-02-28T23:59:59.000000Z"),
    (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
  ])
  func aSecondIsWrittenAsTheCalendarHasIt_andReadBack(second: UInt64, as text: String) {
    #expect(written(second * 1_000_000_000) == text)
    #expect(UniversalTime.nanoseconds(parsing: text) == second * 1_000_000_000)
  }

  @Test(arguments: [
    "2554-07-21T23:34:33.709551616Z", "2554-07-21T23:34:34Z", "9999-12-31T23:59:59Z",
  ])
  func timePast64Bits_isRefused(_ text: String) {
    #expect(UniversalTime.nanoseconds(parsing: text) == nil)
  }

  @Test func lastTimeOf64Bits_isRead() {
    #expect(UniversalTime.nanoseconds(parsing: "2554-07-21T23:34:33.709551615Z") == .max)
  }

  @Test func fractionsAreCutOff_notRounded() {
    #expect(written(1_999_999_999) == "1970-01-01T00:00:01.999999Z")
  }

  /// In each run every tenth, which are all days of the year.
  @Test func everyDayOfFourCenturiesComesBack() {
    for day in stride(from: 0 as UInt64, to: 146_097, by: isThorough ? 1 : 10) {
      let time = day * 86_400 * 1_000_000_000
      guard UniversalTime.nanoseconds(parsing: written(time)) == time else {
        Issue.record("day \(day): \(written(time))")
        return
      }
    }
  }

  @Test(arguments: [
    ("1970-01-01T01:00:00+01:00", 0), ("1970-01-01 00:00:00.5z", 500_000_000),
    ("1969-12-31T23:30:01-00:30", 1_000_000_000), ("1970-01-01T00:00:00.000000001Z", 1),
  ])
  func otherWaysToWriteATimeAreRead(text: String, time: UInt64) {
    #expect(UniversalTime.nanoseconds(parsing: text) == time)
  }

  @Test(arguments: [
    "", "1970-01-01", "1970-01-01T00:00:00", "1969-12-31T23:59:59Z", "1970-13-01T00:00:00Z",
    "1970-01-01T24:00:00Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00Zx",
    "1970-01-01T00:00:00.0000000001Z", "+970-01-01T00:00:00Z",
  ])
  func invalidTimeIsRefused(text: String) {
    #expect(UniversalTime.nanoseconds(parsing: text) == nil)
  }
}
