import Testing
import TextStages
import Time

/// Feeds a stamper piece by piece, each at its own time.
private struct Stamping {
  private static let start = Moment(wallClock: 1_795_242_660_123_456_789, monotonic: 5_000_000_000)

  /// The output for pieces that are read a number of microseconds after the start.
  static func stamped(
    _ format: String, _ pieces: [(microseconds: UInt64, text: String)], offset: Int = 3_600
  ) throws -> String {
    var stamper = LineStamper(try TimestampFormat(parsing: format), start: start) { second in
      CalendarTime(
        year: 2026, month: 1, day: 2, hour: 7, minute: 31, second: Int(second % 60), offset: offset)
    }
    var output: [UInt8] = []
    for piece in pieces {
      let moment = Moment(
        wallClock: start.wallClock + piece.microseconds * 1_000,
        monotonic: start.monotonic + piece.microseconds * 1_000)
      stamper.feed(Array(piece.text.utf8), at: moment, into: &output)
    }
    stamper.flush(into: &output)
    return String(decoding: output, as: UTF8.self)
  }
}

@Suite(.timeLimit(.minutes(30))) struct LineStamperTests {
  @Test(arguments: [
    ("time", "[07:31:00.123] a\n[07:31:01.623] b"),
    ("time:us", "[07:31:00.123456] a\n[07:31:01.623457] b"),
    ("iso", "[2026-01-02T07:31:00.123+01:00] a\n[2026-01-02T07:31:01.623+01:00] b"),
    ("iso:us", "[2026-01-02T07:31:00.123456+01:00] a\n[2026-01-02T07:31:01.623457+01:00] b"),
    ("delta", "[+    0.000] a\n[+    1.500] b"),
    ("delta:us", "[+    0.000000] a\n[+    1.500001] b"),
    ("start", "[    0.000] a\n[    1.500] b"),
    ("start:us", "[    0.000000] a\n[    1.500001] b"),
    ("epoch", "[1795242660.123] a\n[1795242661.623] b"),
    ("epoch:us", "[1795242660.123456] a\n[1795242661.623457] b"),
  ])
  func format_isWritten_inFrontOfEachLine(format: String, text: String) throws {
    #expect(try Stamping.stamped(format, [(0, "a\n"), (1_500_001, "b")]) == text)
  }

  @Test func zoneWestOfUniversalTime_hasAMinus() throws {
    let text = try Stamping.stamped("iso", [(0, "a")], offset: -12_600)
    #expect(text == "[2026-01-02T07:31:00.123-03:30] a")
  }

  @Test func delta_countsFromTheLineBefore_startFromTheStart() throws {
    let pieces: [(UInt64, String)] = [
      (1_000_000, "a\n"), (1_200_000, "b\n"), (90_001_200_000, "c"),
    ]
    #expect(
      try Stamping.stamped("delta", pieces) == "[+    1.000] a\n[+    0.200] b\n[+90000.000] c")
    #expect(
      try Stamping.stamped("start", pieces) == "[    1.000] a\n[    1.200] b\n[90001.200] c")
  }

  @Test func line_hasTheTimeOfItsFirstByte() throws {
    #expect(
      try Stamping.stamped(
        "start", [(1_000_000, "a\r\n"), (2_000_000, "b"), (3_000_000, "c\r\nd")])
        == "[    1.000] a\r\n[    2.000] bc\r\n[    3.000] d")
  }

  @Test(arguments: [
    ("a\r\nb\r\n", "#a\r\n#b\r\n"),
    ("a\n\rb\n\r", "#a\n\r#b\n\r"),
    ("\n\n", "#\n#\n"),
    ("a\n\nb", "#a\n#\n#b"),
    ("a\r\n\r\nb", "#a\r\n\r#\r\n#b"),
    ("a\r\r\nb", "#a\r\r\n#b"),
    ("50%\r51%\r\n", "#50%\r#51%\r\n"),
    ("\ra", "\r#a"),
    ("\u{1B}[31ma", "#\u{1B}[31ma"),
    ("", ""),
  ])
  func lineEnds_ofAnyKind_areDistinguishedFromReturns(text: String, stamped: String) throws {
    let bytes = Array(text.utf8)
    for pieces in cuts(of: bytes) {
      let output = try Stamping.stamped(
        "start", pieces.map { (0, String(decoding: $0, as: UTF8.self)) })
      #expect(
        output
          == stamped.split(separator: "#", omittingEmptySubsequences: false)
          .joined(separator: "[    0.000] "))
    }
  }

  @Test func theRestOfAnErasedLine_isANewLine() throws {
    let stamp = "[    0.000] "
    #expect(
      try Stamping.stamped("start", [(0, "a\u{1B}[2K\r\nb\u{1B}[2K\rc")])
        == "\(stamp)a\u{1B}[2K\r\(stamp)\r\n\(stamp)b\u{1B}[2K\r\(stamp)c")
  }

  @Test func calendar_isAsked_onceASecond() throws {
    var asked: [UInt64] = []
    var stamper = LineStamper(TimestampFormat(.iso), start: .any) { second in
      asked.append(second)
      return CalendarTime(
        year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: 0)
    }
    var output: [UInt8] = []
    for nanoseconds in [0, 1, 999_999_999, 1_000_000_000] as [UInt64] {
      let moment = Moment(wallClock: nanoseconds, monotonic: 0)
      stamper.feed(Array("a\n".utf8), at: moment, into: &output)
    }
    #expect(asked == [0, 1])
  }
}
