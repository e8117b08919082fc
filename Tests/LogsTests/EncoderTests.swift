import Testing
import Views

@testable import Logs

@Suite(.timeLimit(.minutes(5))) struct EncoderTests {
  private let lost = LogEvent(.lost, at: "/dev/ttyUSB0")
  private let opened = LogEvent(.opened, at: "/dev/ttyUSB0", .settings("115200 8N1"))

  @Test func rawIsTheBytes() {
    let bytes: [UInt8] = [0, 255, 10]
    #expect(
      encoded(by: RawEncoder(), [.bytes(.fromDevice, bytes), .event(lost), .gap(5)]) == bytes)
  }

  @Test func aLineOfJSONIsAsDocumented() {
    let lines = encoded(
      by: JSONLinesEncoder(),
      [.received("hi \"\u{1B}\\\r\n"), .bytes(.toDevice, [0xFF]), .event(opened), .gap(1_234)])
    #expect(
      text(lines) == """
        {"time":"2026-11-21T06:31:00.123456Z","direction":"from-device","bytes":"aGkgIhtcDQo=",\
        "text":"hi \\"\\u001b\\\\\\r\\n"}
        {"time":"2026-11-21T06:31:00.123456Z","direction":"to-device","bytes":"/w=="}
        {"time":"2026-11-21T06:31:00.123456Z","event":"opened","path":"/dev/ttyUSB0",\
        "settings":"115200 8N1"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"gap","missing":1234}

        """)
  }

  private let linesChange = LogEvent(.lines, at: "/dev/ttyS0", .lines(old: "none", new: "DTR CTS"))
  private let errorCounts = LogEvent(
    .errors, at: "/dev/ttyS0", .errors([.init("framing", 12), .init("break", 1)]))

  @Test func theLineHasEventsOfItsOwn() {
    #expect(
      text(encoded(by: JSONLinesEncoder(), [.event(linesChange), .event(errorCounts)])) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"lines","path":"/dev/ttyS0","old":"none",\
        "new":"DTR CTS"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"errors","path":"/dev/ttyS0","framing":12,\
        "break":1}

        """)
    #expect("\(linesChange)" == "lines /dev/ttyS0: DTR CTS, before: none")
    #expect("\(errorCounts)" == "errors /dev/ttyS0: 12 framing, 1 break")
  }

  private let mark = LogEvent(.mark, at: "/dev/ttyS0", .mark(3, "reset \"A\""))

  @Test func aMark_hasItsNumberAndItsText_inEveryFormatThatHasEvents() {
    #expect(
      text(encoded(by: JSONLinesEncoder(), [.event(mark)])) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"mark","path":"/dev/ttyS0","number":3,\
        "text":"reset \\"A\\""}

        """)
    #expect(
      lines(.received("cut"), .event(mark), .event(LogEvent(.mark, at: "", .mark(4, nil))))
        == ["cut", "[mark 3: reset \"A\"]", "[mark 4]"])
    let packets = text(encoded(by: PcapngEncoder(), [.event(mark)]).map { max($0, 0x20) & 0x7F })
    #expect(packets.contains("mark 3: reset \"A\""))
    #expect(encoded(by: RawEncoder(), [.received("a"), .event(mark)]) == [0x61])
    #expect(LogFormat.allCases.filter { !$0.hasEvents } == [.raw])
  }

  /// The lines of a text log, their times left out.
  private func lines(marked: Bool = false, _ contents: SampleContent...) -> [Substring] {
    let lines = text(encoded(by: TextEncoder(marksDirection: marked), contents))
      .split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "")
    return lines.dropLast().map { line in
      let stamp = line.prefix { $0 != "]" }
      #expect(stamp.hasPrefix("[2026-11-2") && stamp.contains(":00.123456"))
      return line.dropFirst(stamp.count + 2)
    }
  }

  @Test func aLineOfTextStaysOpenForWhatComes() {
    #expect(
      lines(.received("one li"), .received("ne\r"), .received("\nnext")) == ["one line", "next"])
  }

  @Test func anEventStandsInALineOfItsOwn() {
    #expect(
      lines(.received("cut"), .event(lost), .gap(3), .received("again\n"))
        == ["cut", "[lost /dev/ttyUSB0]", "[gap: 3 bytes not logged]", "again"])
  }

  @Test func aPortsNameHasNoControlCharacters() {
    #expect(
      lines(.event(LogEvent(.lost, at: "/tmp/a\u{1B}[2J\n\u{9B}b"))) == ["[lost /tmp/a[2Jb]"])
  }

  @Test func theOtherDirectionBeginsALine() {
    #expect(
      lines(marked: true, .received("login: "), .sent("root\r"), .received("root\r\nhi"))
        == ["< login: ", "> root", "< root", "< hi"])
  }

  @Test func aSequenceThatIsCutInTwoIsStillOne() {
    #expect(lines(.received("a\u{1B}[3"), .received("1mb")) == ["ab"])
  }
}
