import Encodings
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct RecordDecoderTests {
  private let path = "/dev/ttyUSB0"
  /// 你好 in GBK.
  private let hello: [UInt8] = [0xC4, 0xE3, 0xBA, 0xC3]

  private func event(_ name: String) throws -> LogEvent {
    LogEvent(.encoding, at: path, .encoding(try Encoding(name)))
  }

  /// The texts of records; nil for those that are not decoded.
  private func texts(_ contents: [(port: Int, SampleContent)]) -> [String?] {
    var decoder = RecordDecoder()
    var texts: [String?] = []
    for (port, content) in contents {
      let record: (LogRecord.Content) -> Void = { content in
        decoder.decode(LogRecord(moment: sampleMoment, port: port, content: content)) { record in
          guard case .bytes = record.content else { return }
          texts.append(record.decoded.map { String(decoding: $0.text, as: UTF8.self) })
        }
      }
      switch content {
      case .bytes(let direction, let bytes, let client):
        bytes.withUnsafeBytes { record(.bytes(direction, $0, by: client)) }
      case .event(let event): record(.event(event))
      case .gap(let count): record(.gap(count))
      case .port(let port): record(.port(port))
      }
    }
    return texts
  }

  @Test func theEncodingApplies_fromItsEventOn_inBothDirections() throws {
    let contents: [SampleContent] = [
      .bytes(.fromDevice, hello), .event(try event("GBK")), .bytes(.fromDevice, hello),
      .bytes(.toDevice, hello), .event(try event("KOI8-R")), .bytes(.fromDevice, [0xC1]),
      .event(try event("UTF-8")), .bytes(.fromDevice, hello),
    ]
    #expect(texts(contents.map { (0, $0) }) == [nil, "你好", "你好", "а", nil])
  }

  @Test func aCharacterInTwoRecords_isInTheSecond_andDirectionsDoNotMix() throws {
    let contents: [SampleContent] = [
      .event(try event("GBK")), .bytes(.fromDevice, [0xC4]), .bytes(.toDevice, [0xBA]),
      .bytes(.fromDevice, [0xE3]), .bytes(.toDevice, [0xC3]),
    ]
    #expect(texts(contents.map { (0, $0) }) == ["", "", "你", "好"])
  }

  @Test func portsHaveTheirOwnEncodings() throws {
    #expect(
      texts([
        (0, .event(try event("GBK"))), (1, .event(try event("KOI8-R"))),
        (0, .bytes(.fromDevice, [0xC4])), (1, .bytes(.fromDevice, [0xC1])),
        (2, .bytes(.fromDevice, [0xC1])), (0, .bytes(.fromDevice, [0xE3])),
      ]) == ["", "а", nil, "你"])
  }

  @Test func afterAnInterruption_theIncompleteCharacterIsShown() throws {
    for interruption in [
      SampleContent.gap(5), .event(LogEvent(.lost, at: path)),
      .event(LogEvent(.released, at: path)), .event(try event("GBK")),
    ] {
      let contents: [SampleContent] = [
        .event(try event("GBK")), .bytes(.fromDevice, [0xC4]), interruption,
        .bytes(.fromDevice, [0xC4, 0xE3]),
      ]
      #expect(texts(contents.map { (0, $0) }) == ["", #"\xc4你"#])
    }
    // Another event, such as a mark, interrupts nothing.
    let contents: [SampleContent] = [
      .event(try event("GBK")), .bytes(.fromDevice, [0xC4]),
      .event(LogEvent(.mark, at: path, .mark(1, nil))), .bytes(.fromDevice, [0xE3]),
    ]
    #expect(texts(contents.map { (0, $0) }) == ["", "你"])
  }

  // MARK: Formats

  /// The file of a log in a format, with an event for the encoding before the bytes.
  private func log(_ format: LogFormat, _ pieces: [[UInt8]], size: Int? = nil) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("log")
    var options = Log.Options()
    options.format = format
    options.rotation = LogRotation(size: size)
    let log = try Log(LogName(path.string, port: "x"), options: options)
    log.append(try event("GBK"), at: sampleMoment)
    for piece in pieces {
      piece.withUnsafeBytes { log.append($0, .fromDevice, at: sampleMoment) }
    }
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    var bytes: [UInt8] = []
    var number = 0
    while true {
      number += 1
      guard let more = try? contents(of: FilePath("\(path).\(number)")) else { break }
      bytes += more
    }
    return bytes + (try contents(of: path))
  }

  private func contents(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  @Test func rawHasTheBytes() throws {
    #expect(try log(.raw, [hello, [0xFF]]) == hello + [0xFF])
  }

  @Test func jsonHasTheBytes_theirEncoding_andTheText() throws {
    #expect(
      text(try log(.jsonl, [hello + [0xFF]])) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"encoding","path":"/dev/ttyUSB0",\
        "encoding":"GBK"}
        {"time":"2026-11-21T06:31:00.123456Z","direction":"from-device","bytes":"xOO6w/8=",\
        "encoding":"GBK","text":"你好\\\\xff"}

        """)
  }

  @Test func textSaysItsEncoding_andHasTheText() throws {
    // The stamp has 35 characters, and the local time of the machine.
    let lines = text(try log(.text, [Array(hello.prefix(3)), Array(hello.suffix(1)) + [0x0A]]))
      .split(separator: "\n").map { $0.dropFirst(35) }
    #expect(lines == ["[encoding /dev/ttyUSB0: GBK]", "你好"])
  }

  @Test func aRecordThatIsEncodedAgainForTheNextFile_isDecodedOnce() throws {
    // Each character is divided between two records, and nearly every record begins a file.
    let pieces = Array(repeatElement([[hello[0]], [hello[1], 0x0A]], count: 20).joined())
    let lines = text(try log(.text, pieces, size: 40)).split(separator: "\n")
    #expect(lines.dropFirst().map { $0.dropFirst(35) } == Array(repeating: "你", count: 20))
  }

  @Test func severalPorts_haveTheTextOfEach() throws {
    var decoder = RecordDecoder()
    var encoder = LogFormat.text.encoder(marksDirection: false, namesPorts: true)
    var output: [UInt8] = []
    let take = { (port: Int, content: LogRecord.Content) in
      decoder.decode(LogRecord(moment: sampleMoment, port: port, content: content)) {
        encoder.encode($0, into: &output)
      }
    }
    take(0, .port(LogPort("a", at: "/dev/a")))
    take(1, .port(LogPort("b", at: "/dev/b")))
    take(1, .event(LogEvent(.encoding, at: "/dev/b", .encoding(try Encoding("GBK")))))
    (hello + [0x0A]).withUnsafeBytes { take(1, .bytes(.fromDevice, $0, by: nil)) }
    #expect(text(output).contains("b | 你好\n"))
    #expect(encoder.heldCount == 0)
  }
}
