import Framing
import Testing
import TextStages
import Time

@testable import Logs

/// Logs with one record for each frame.
@Suite(.timeLimit(.minutes(30))) struct FramedEncoderTests {
  private static let request: [UInt8] = [0x01, 0x03, 0x00, 0x6B, 0x00, 0x03, 0x74, 0x17]
  private static let answer: [UInt8] = [0x01, 0x83, 0x02, 0xC0, 0xF1]

  private func encoder(
    _ format: LogFormat, _ form: String = "modbus-rtu", marksDirection: Bool = false
  ) throws -> any LogEncoder {
    format.encoder(
      marksDirection: marksDirection, frameForm: try ChosenFrameForm(parsing: form))
  }

  private func text(
    _ format: LogFormat, _ form: String = "modbus-rtu", marksDirection: Bool = false,
    of records: [SampleContent]
  ) throws -> String {
    LogsTests.text(try bytes(format, form, marksDirection: marksDirection, of: records))
  }

  private func bytes(
    _ format: LogFormat, _ form: String = "modbus-rtu", marksDirection: Bool = false,
    of records: [SampleContent]
  ) throws -> [UInt8] {
    var encoder = try encoder(format, form, marksDirection: marksDirection)
    var output: [UInt8] = []
    for record in records { encode(record, by: &encoder, into: &output) }
    encoder.flush(into: &output)
    return output
  }

  @Test func `An object for each frame, however the reads divide the bytes`() throws {
    let expected = """
      {"time":"2026-11-21T06:31:00.123456Z","direction":"to-device","bytes":"AQMAawADdBc=",\
      "text":"\\u0001\\u0003\\u0000k\\u0000\\u0003t\\u0017","check":"good",\
      "meaning":"slave 1 read holding 0x006b ×3"}
      {"time":"2026-11-21T06:31:00.123456Z","direction":"from-device","bytes":"AYMCwPE=",\
      "check":"good","meaning":"slave 1 exception 2 illegal data address"}

      """
    #expect(
      try text(
        .jsonl, marksDirection: true,
        of: [.bytes(.toDevice, Self.request), .bytes(.fromDevice, Self.answer)]) == expected)
    #expect(
      try text(
        .jsonl, marksDirection: true,
        of: Self.request.map { .bytes(.toDevice, [$0]) }
          + Self.answer.map { .bytes(.fromDevice, [$0]) }
      ) == expected)
  }

  @Test func `A bad frame has its reason, stray bytes are marked, and nothing is missing`() throws {
    let log = try text(
      .jsonl, "nmea",
      of: [.received("noise$GPTXT,01*00\r\n")])
    #expect(log.contains("\"text\":\"noise\",\"check\":\"stray\""))
    #expect(log.contains("\"text\":\"$GPTXT,01*00\\r\\n\",\"check\":\"bad\",\"reason\":"))
  }

  @Test func `A text log has a line for each frame, and an arrow if it has both directions`() throws
  {
    let one = try text(.text, of: [.bytes(.fromDevice, Self.request)])
    #expect(
      one.hasSuffix("]    8  01 03 00 6b 00 03 74 17  good  slave 1 read holding 0x006b ×3\n"))
    let both = try text(
      .text, marksDirection: true,
      of: [.bytes(.toDevice, Self.request), .bytes(.fromDevice, Self.answer)])
    let lines = both.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].contains("] →     8  01 03") && lines[1].contains("] ←     5  01 83"))
  }

  @Test func `A packet for each frame, with a comment if it is bad`() throws {
    let packets = try bytes(
      .pcapng,
      of: Self.request.map { .bytes(.fromDevice, [$0]) }
        + [.bytes(.fromDevice, Self.request.dropLast() + [0])])
    let printable = LogsTests.text(packets.map { max($0, 0x20) & 0x7F })
    #expect(printable.contains("BAD (CRC 74 00, expected 74 17)"))
    #expect(packets.count(of: Self.request) == 1)
  }

  @Test func `Raw logs and tables are not changed`() throws {
    for format in [LogFormat.raw, .csv] {
      #expect(try encoder(format) is FramedEncoder == false)
    }
  }

  @Test func `An unfinished frame is held back until a gap or the end of the log`() throws {
    var encoder = try encoder(.jsonl, "fixed:4")
    var output: [UInt8] = []
    func write(_ content: SampleContent) { encode(content, by: &encoder, into: &output) }
    write(.received("abc"))
    #expect(output.isEmpty && encoder.heldCount == 3)
    write(.gap(9))
    #expect(LogsTests.text(output).contains("\"text\":\"abc\",\"check\":\"bad\""))
    #expect(encoder.heldCount == 0)
    write(.received("d"))
    encoder.flush(into: &output)
    #expect(LogsTests.text(output).contains("\"text\":\"d\",\"check\":\"bad\""))
  }

  @Test func `A silence ends a frame, by the times of the reads or of the log's thread`() throws {
    var encoder = try encoder(.jsonl, "silence:5")
    var output: [UInt8] = []
    func write(_ bytes: [UInt8], at milliseconds: UInt64) {
      bytes.withUnsafeBytes {
        let moment = Moment(wallClock: 0, monotonic: milliseconds * 1_000_000)
        encoder.encode(
          LogRecord(moment: moment, content: .bytes(.fromDevice, $0, by: nil)), into: &output)
      }
    }
    write([0x61], at: 100)
    write([0x62], at: 103)
    #expect(output.isEmpty)
    write([0x63], at: 110)
    #expect(LogsTests.text(output).contains("\"text\":\"ab\""))
    #expect(encoder.deadline == MonotonicTime(nanoseconds: 215_000_000))
    encoder.tick(at: MonotonicTime(nanoseconds: 214_999_999), into: &output)
    #expect(!LogsTests.text(output).contains("\"text\":\"c\""))
    encoder.tick(at: MonotonicTime(nanoseconds: 215_000_000), into: &output)
    #expect(LogsTests.text(output).contains("\"text\":\"c\""))
  }
}

extension [UInt8] {
  /// The number of places at which the bytes occur.
  fileprivate func count(of bytes: [UInt8]) -> Int {
    guard count >= bytes.count else { return 0 }
    return (0...(count - bytes.count)).count { self[$0...].starts(with: bytes) }
  }
}
