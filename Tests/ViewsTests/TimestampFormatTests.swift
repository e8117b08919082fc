import Testing
import Views

@Suite struct TimestampFormatTests {
  @Test(arguments: TimestampFormat.Kind.allCases, TimestampFormat.Precision.allCases)
  func anyFormat_isRead_asItIsWritten(
    kind: TimestampFormat.Kind, precision: TimestampFormat.Precision
  ) throws {
    let format = TimestampFormat(kind, precision)
    #expect(try TimestampFormat(parsing: format.description) == format)
  }

  @Test func names_areThoseOfTheKinds_andMicrosecondsAreAskedFor() throws {
    #expect(try TimestampFormat(parsing: "iso") == TimestampFormat(.iso, .milliseconds))
    #expect(try TimestampFormat(parsing: "delta:us") == TimestampFormat(.delta, .microseconds))
  }

  @Test(arguments: ["", "Time", "time:", "time:ms", ":us", "time:us:us", "24hour"])
  func otherText_isRefused_namingWhatThereIs(text: String) {
    let error = #expect(throws: TimestampFormatError.self) { try TimestampFormat(parsing: text) }
    #expect(
      error?.description == "'\(text)': expected one of time, iso, delta, start, epoch; "
        + "with :us behind it for microseconds, as in time:us")
  }
}
