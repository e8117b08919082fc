import Testing
import TextStages
import Time

@Suite(.timeLimit(.minutes(30))) struct TimestampFormatTests {
  @Test(arguments: TimestampFormat.Kind.allCases, TimestampFormat.Precision.allCases)
  func everyFormat_isReadAsItIsWritten(
    kind: TimestampFormat.Kind, precision: TimestampFormat.Precision
  ) throws {
    let format = TimestampFormat(kind, precision)
    #expect(try TimestampFormat(parsing: format.description) == format)
  }

  @Test func suffix_asksForMicroseconds() throws {
    #expect(try TimestampFormat(parsing: "iso") == TimestampFormat(.iso, .milliseconds))
    #expect(try TimestampFormat(parsing: "delta:us") == TimestampFormat(.delta, .microseconds))
  }

  @Test(arguments: ["", "Time", "time:", "time:ms", ":us", "time:us:us", "24hour"])
  func otherText_isRefusedWithAListOfFormats(text: String) {
    let error = #expect(throws: TimestampFormatError.self) { try TimestampFormat(parsing: text) }
    #expect(
      error?.description
        == "'\(text)' is not a timestamp format. Formats: time, iso, delta, start, "
        + "epoch; add :us for microseconds (time:us)")
  }

  @Test(arguments: TimestampFormat.Kind.allCases, TimestampFormat.Precision.allCases)
  func width_isThatOfAStamp(
    kind: TimestampFormat.Kind, precision: TimestampFormat.Precision
  ) {
    let format = TimestampFormat(kind, precision)
    let moment = Moment(wallClock: 1_795_242_660_123_456_789, monotonic: 5_000_000_000)
    var stamper = LineStamper(format, start: Moment(wallClock: 0, monotonic: 0)) { _ in
      CalendarTime(
        year: 2026, month: 11, day: 21, hour: 7, minute: 31, second: 0, offset: 3_600)
    }
    var output: [UInt8] = []
    stamper.feed([0x78], at: moment, into: &output)
    #expect(output.count == format.width + 1)
  }
}
