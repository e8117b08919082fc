import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing
import TextStages

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogReaderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func entries(in contents: [UInt8]) throws -> [LogEntry] {
    let reader = try LogReader(try folder.file("log", contents))
    var entries: [LogEntry] = []
    while case .entry(let entry) = try reader.next() { entries.append(entry) }
    return entries
  }

  private let samples: [SampleContent] = [
    .received("hello \"\\\n"), .event(LogEvent(.lost, at: "/dev/ttyUSB0")),
    .event(LogEvent(.mark, at: "/dev/ttyUSB0", .mark(1, "bytes"))),
    .event(LogEvent(.joined, at: "/dev/ttyUSB0", .name("bytes"))),
    .event(LogEvent(.pen, at: "/dev/ttyUSB0", .pen(from: nil, to: "max", .taken))),
    .bytes(.toDevice, (0...255).map { UInt8($0) }, by: "max"), .gap(7),
    .event(LogEvent(.left, at: "/dev/ttyUSB0", .name("bytes"))), .received("x"),
  ]

  private func expectSamples(_ entries: [LogEntry], time: UInt64) {
    #expect(
      entries.map(\.bytes) == [Array("hello \"\\\n".utf8), (0...255).map { UInt8($0) }, [0x78]])
    #expect(entries.map(\.direction) == [.fromDevice, .toDevice, .fromDevice])
    #expect(Set(entries.map(\.time)) == [time])
  }

  @Test func jsonLinesComeBack_toTheMicrosecond() throws {
    expectSamples(
      try entries(in: encoded(by: JSONLinesEncoder(), samples)), time: 1_795_242_660_123_456_000)
  }

  @Test func packetsComeBack_toTheNanosecond() throws {
    var beginning: [UInt8] = []
    var encoder = PcapngEncoder()
    encoder.begin(into: &beginning)
    expectSamples(
      try entries(in: beginning + encoded(by: encoder, samples)), time: 1_795_242_660_123_456_789)
  }

  @Test func sectionsThatWereAddedLaterAreReadToo() throws {
    var section: [UInt8] = []
    var encoder = PcapngEncoder()
    encoder.begin(into: &section)
    section += encoded(by: encoder, [.received("x")])
    #expect(try entries(in: section + section).map(\.bytes) == [[0x78], [0x78]])
  }

  @Test func membersThatAreNotKnownArePassedOver() throws {
    let line = """
      { "a":[1,{"b":null},"c"], "bytes":"eA==", "n":-1.5e3, "direction":"from-device",
      """.dropLast(0) + #""time":"1970-01-01T00:00:01Z", "text":"\u00e4\ud83d\ude00\/" }"#
    #expect(
      try entries(in: Array(line.utf8))
        == [LogEntry(time: 1_000_000_000, direction: .fromDevice, bytes: [0x78])])
  }

  @Test func everyCutOfAFileIsReported_andNoneTraps() throws {
    var capture: [UInt8] = []
    var encoder = PcapngEncoder()
    encoder.begin(into: &capture)
    // Without all values of bytes: the time is that of the square of the length.
    let samples = samples.map { sample -> SampleContent in
      guard case .bytes(.toDevice, _, let client) = sample else { return sample }
      return .bytes(.toDevice, [0, 0x41, 0xFF], by: client)
    }
    capture += encoded(by: encoder, samples)
    for file in [capture, encoded(by: JSONLinesEncoder(), samples)] {
      var told = 0
      for count in 0..<file.count {
        do { _ = try entries(in: Array(file[..<count])) } catch { told += 1 }
      }
      // Except for the few files that end after a record.
      #expect(told >= file.count - 2 * samples.count - 8)
    }
  }

  @Test func noChangeOfAByteTraps() throws {
    var capture: [UInt8] = []
    var encoder = PcapngEncoder()
    encoder.begin(into: &capture)
    capture += encoded(by: encoder, [.received("hello"), .gap(1)])
    for index in capture.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var broken = capture
        broken[index] = value
        _ = try? entries(in: broken)
      }
    }
  }

  @Test(arguments: [LogFormat.jsonl, .pcapng])
  func aPipeIsReadAsItIsWritten_andNeverWaitedFor(format: LogFormat) throws {
    let path = folder.path.appending("pipe")
    #expect(mkfifo(path.string, 0o600) == 0)
    let reader = try LogReader(path)
    // No writer has opened the pipe yet, so this is not its end.
    #expect(try reader.next() == .waiting)
    let writer = try OwnedDescriptor.open(path, O_WRONLY)
    #expect(try reader.next() == .waiting)
    var log: [UInt8] = []
    var encoder = format.encoder(marksDirection: true)
    encoder.begin(into: &log)
    log += encoded(by: encoder, samples)
    var read: [LogEntry] = []
    for byte in log {
      _ = try withUnsafeBytes(of: byte) { try writer.borrowed.writeAvailable($0) }
      while case .entry(let entry) = try reader.next() { read.append(entry) }
    }
    expectSamples(
      read,
      time: format == .jsonl ? 1_795_242_660_123_456_000 : 1_795_242_660_123_456_789)
    #expect(try reader.next() == .waiting)
    _ = consume writer
    #expect(try reader.next() == .end)
  }

  // MARK: Formats

  @Test(arguments: [
    ("{", LogFormat.jsonl), (" ", .jsonl), ("\n", .jsonl), ("\r\n", .jsonl), ("[", .text),
    ("\n\r\r\n", .pcapng), ("\n\r\r", .jsonl), ("\n\r\r\n{", .pcapng), ("x", nil), ("", nil),
  ])
  func `The first bytes determine the format, the longest known ones first`(
    beginning: String, format: LogFormat?
  ) {
    #expect(LogFormat(ofLog: Array(beginning.utf8)[...]) == format)
  }

  @Test(arguments: LogFormat.allCases)
  func `A log that was written is found to be of its format`(format: LogFormat) throws {
    var log: [UInt8] = []
    var encoder = format.encoder(marksDirection: true)
    encoder.begin(into: &log)
    log += encoded(by: encoder, samples)
    let isReadable = format.decoder != nil
    #expect(LogFormat(ofLog: log[...]) == (isReadable ? format : nil))
    #expect(LogFormat(ofRecordsIn: log[...]) == (format.hasRecords ? format : nil))
    #expect(((try? entries(in: log)) ?? []).isEmpty == !isReadable)
  }

  @Test func `An empty file has no entries`() throws {
    let reader = try LogReader(try folder.file("log", []))
    for _ in 0..<2 { #expect(try reader.next() == .end) }
    #expect(reader.ports.isEmpty)
  }

  @Test func `The formats that can be played are named in the words of the messages`() {
    #expect(LogFormat.playable.alternatives(\.title) == "JSON lines, pcapng or text")
    #expect([LogFormat.raw].alternatives(\.rawValue) == "raw")
  }

  @Test(arguments: ["/dev/ptmx", "/dev/null", "/proc/self"])
  func otherThanAFileOrAPipeIsRefused(path: String) {
    #expect(throws: LogReadingError.self) { try LogReader(FilePath(path)) }
  }
}
