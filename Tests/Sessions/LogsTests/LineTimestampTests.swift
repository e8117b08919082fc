import Testing
import TextStages
import Time

@testable import Logs

@Suite struct LineTimestampTests {
  private static func stamp(_ line: String) -> LineTimestamp? {
    Array(line.utf8).withUnsafeBytes { LineTimestamp(of: $0) }
  }

  @Test(arguments: [
    ("[2026-11-21T07:31:00.123456+01:00] temp:1", 1_795_242_660.123456, LineTimestamp.Origin.epoch),
    ("[2026-11-21T07:31:00.5-00:30] x", 1_795_248_060.5, .epoch),
    ("[1795242660.123] 1,2", 1_795_242_660.123, .epoch),
    ("[07:31:00.123] 1,2", 27_060.123, .midnight),
    ("[    0.123] 1,2", 0.123, .start),
    ("[+    0.123] 1,2", 0.123, .line),
  ])
  func `A timestamp is read with what it counts from`(
    line: String, seconds: Double, origin: LineTimestamp.Origin
  ) throws {
    let stamp = try #require(Self.stamp(line))
    #expect(abs(stamp.seconds - seconds) < 1e-6)
    #expect(stamp.origin == origin)
    #expect(line.utf8.dropFirst(stamp.length).first != UInt8(ascii: " "))
    #expect(line.utf8.dropFirst(stamp.length - 1).first == UInt8(ascii: " "))
  }

  @Test(arguments: [
    "", "[", "[]", "[] 1", "[1] 2", "[1,2] 3", "[info] ready", "[  12] 1", "[0.5]", "[0.5]x", "1,2",
    "[2026-13T07:31:00+01:00] 1", "[07:31] 1", "[-1.5] 2", "[12:34:56.78.9] 1", "[::::::::.:] 1",
    "[99999999999999999999.123] 1", "[2026-11-21T07:31:00.123456] 1",
  ])
  func `Other texts in brackets are no timestamps`(line: String) {
    #expect(Self.stamp(line) == nil)
  }

  @Test(arguments: TimestampFormat.names)
  func `What is written before a line is read again`(name: String) throws {
    let moment = Moment(wallClock: 1_795_242_660_123_000_000, monotonic: 5_250_000_000)
    var stamper = LineStamper(
      try TimestampFormat(parsing: name), start: Moment(wallClock: 0, monotonic: 2_000_000_000),
      calendar: CalendarTime.init(local:))
    var output: [UInt8] = []
    _ = Array("text\n".utf8).withUnsafeBytes { stamper.transform($0, at: moment, into: &output) }
    let stamp = try #require(output.withUnsafeBytes { LineTimestamp(of: $0) })
    #expect(String(decoding: output.dropFirst(stamp.length), as: UTF8.self) == "text\n")
    switch stamp.origin {
    case .epoch: #expect(abs(stamp.seconds - 1_795_242_660.123) < 1e-6)
    case .midnight: #expect(abs(stamp.seconds.truncatingRemainder(dividingBy: 60) - 0.123) < 1e-6)
    case .start, .line: #expect(abs(stamp.seconds - 3.25) < 1e-6)
    }
  }
}
