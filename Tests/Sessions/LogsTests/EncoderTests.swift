import Testing
import TextStages
import Time

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct EncoderTests {
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
    #expect(LogFormat.allCases.filter { !$0.hasEvents } == [.raw, .csv])
  }

  // MARK: Addresses

  private let symbols = LogEvent(
    .symbols, at: "/dev/ttyS0",
    .symbols(
      address: "0x400d1234",
      [LogEvent.Frame("inner<\"T\">", at: "a.h:7"), LogEvent.Frame("app_main", at: nil)]))

  @Test func `An address has its frames in JSON lines`() {
    #expect(
      text(encoded(by: JSONLinesEncoder(), [.event(symbols)])) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"symbols","path":"/dev/ttyS0",\
        "address":"0x400d1234","frames":[{"function":"inner<\\"T\\">","place":"a.h:7"},\
        {"function":"app_main"}]}

        """)
  }

  @Test func `In a text log an address waits for the end of the line`() {
    let note = "[symbols 0x400d1234: inner<\"T\"> at a.h:7, inlined into app_main]"
    #expect(LogEvent.isText(Array(note.utf8)[...], behind: []))
    #expect(
      lines(.received("one\ntw"), .event(symbols), .received("o\nthree")) == [
        "one", "two", Substring(note), "three",
      ])
    #expect(lines(.received("one\n"), .event(symbols)) == ["one", Substring(note)])
    #expect(lines(.received("open"), .event(symbols)) == ["open", Substring(note)])
    #expect(
      lines(.received("open"), .event(symbols), .event(LogEvent(.lost, at: "a"))) == [
        "open", Substring(note), "[lost a]",
      ])
    let many = (0..<300).map { _ in SampleContent.event(symbols) }
    let endless = text(encoded(by: TextEncoder(marksDirection: false), [.received("open")] + many))
    #expect(endless.split(separator: "\n").count == 301)
  }

  // MARK: People

  private let path = "/dev/ttyS0"

  private var people: [LogEvent] {
    [
      LogEvent(.joined, at: path, .name("max \"M\"")),
      LogEvent(.renamed, at: path, .names(old: "[::1]:5123", new: "eva")),
      LogEvent(.pen, at: path, .pen(from: nil, to: "max", .held)),
      LogEvent(.pen, at: path, .pen(from: "max", to: "ana on pts/1", .forced)),
      LogEvent(.pen, at: path, .pen(from: "ana on pts/1", to: nil, .inherited)),
      LogEvent(.discarded, at: path, .bytes(120, by: "max")),
      LogEvent(.left, at: path, .name("max")),
    ]
  }

  private let peopleInWords = [
    "joined /dev/ttyS0: max \"M\"", "renamed /dev/ttyS0: eva, before: [::1]:5123",
    "pen /dev/ttyS0: held by max", "pen /dev/ttyS0: from max to ana on pts/1, forced",
    "pen /dev/ttyS0: from ana on pts/1 to nobody, inherited",
    "discarded /dev/ttyS0: 120 bytes by max", "left /dev/ttyS0: max",
  ]

  @Test func `People have events of their own in JSON lines`() {
    #expect(
      text(encoded(by: JSONLinesEncoder(), people.map(SampleContent.event))) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"joined","path":"/dev/ttyS0",\
        "name":"max \\"M\\""}
        {"time":"2026-11-21T06:31:00.123456Z","event":"renamed","path":"/dev/ttyS0",\
        "old":"[::1]:5123","new":"eva"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"pen","path":"/dev/ttyS0","to":"max",\
        "how":"held"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"pen","path":"/dev/ttyS0","from":"max",\
        "to":"ana on pts/1","how":"forced"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"pen","path":"/dev/ttyS0",\
        "from":"ana on pts/1","how":"inherited"}
        {"time":"2026-11-21T06:31:00.123456Z","event":"discarded","path":"/dev/ttyS0",\
        "name":"max","count":120}
        {"time":"2026-11-21T06:31:00.123456Z","event":"left","path":"/dev/ttyS0","name":"max"}

        """)
  }

  @Test func `People stand in text logs and in comments of packets in the same words`() {
    #expect(people.map { "\($0)" } == peopleInWords)
    #expect(lines(.event(people[0])) == ["[joined /dev/ttyS0: max \"M\"]"])
    let packets = text(encoded(by: PcapngEncoder(), people.map(SampleContent.event)))
    #expect(peopleInWords.allSatisfy { packets.contains($0) })
  }

  @Test func `A client's bytes have its name in JSON lines`() {
    #expect(
      text(encoded(by: JSONLinesEncoder(), [.sent("x", by: "max on pts/3"), .sent("y")])) == """
        {"time":"2026-11-21T06:31:00.123456Z","direction":"to-device","by":"max on pts/3",\
        "bytes":"eA==","text":"x"}
        {"time":"2026-11-21T06:31:00.123456Z","direction":"to-device","bytes":"eQ==","text":"y"}

        """)
  }

  @Test func `A client's bytes have its name in a comment of their packet`() {
    let nameless = encoded(by: PcapngEncoder(), [.sent("x")])
    let named = encoded(by: PcapngEncoder(), [.sent("x", by: "max on pts/3")])
    // Before the end of the options and the length: opt_comment, 15 bytes, padded.
    let comment: [UInt8] = [1, 0, 15, 0] + Array("by max on pts/3".utf8) + [0]
    let length = nameless.count + comment.count
    #expect(
      named
        == nameless[..<4] + [UInt8(length), 0, 0, 0] + nameless[8..<(nameless.count - 8)] + comment
        + [0, 0, 0, 0, UInt8(length), 0, 0, 0])
  }

  @Test func `A client's bytes are lines like others in text, and bytes in a raw log`() {
    #expect(
      lines(marked: true, .sent("one\n", by: "max"), .sent("two\n")) == ["> one", "> two"])
    #expect(encoded(by: RawEncoder(), [.sent("x", by: "max")]) == [0x78])
  }

  /// The lines of a text log, without times.
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

  @Test func aLineOfTextStaysOpenForMoreText() {
    #expect(
      lines(.received("one li"), .received("ne\r"), .received("\nnext")) == ["one line", "next"])
  }

  @Test func `A line is written as a screen has it`() {
    #expect(
      lines(
        .received("helo"), .received("\u{8} \u{8}\u{8} \u{8}llo\r\n"),
        .received("10 %\r20 %\r"), .received("100 %\n\rlast"))
        == ["hello", "100 %", "last"])
    #expect(lines(marked: true, .sent("ls\r"), .sent("ps\r")) == ["> ls", "> ps"])
  }

  @Test func `A silent device's line is written after two seconds, and what it becomes after that`()
  {
    var encoder: any LogEncoder = TextEncoder(marksDirection: false)
    var output: [UInt8] = []
    func say(_ text: String, at second: UInt64) {
      encode(
        .received(text), by: &encoder,
        at: Moment(wallClock: second * 1_000_000_000, monotonic: second * 1_000_000_000),
        into: &output)
    }
    /// What was appended since the last call, without times.
    func appended() -> String {
      defer { output = [] }
      return text(output).split(separator: "[", omittingEmptySubsequences: false).map {
        $0.hasPrefix("2") || $0.hasPrefix("1") ? $0[$0.firstIndex(of: "]")!...].dropFirst(2) : $0
      }.joined()
    }
    func tick(at second: Int64) {
      encoder.tick(at: MonotonicTime(nanoseconds: second * 1_000_000_000), into: &output)
    }
    say("$ ", at: 1)
    tick(at: 2)
    #expect(appended() == "" && encoder.heldCount == 2)
    tick(at: 3)
    #expect(appended() == "$ " && encoder.heldCount == 0 && encoder.deadline == nil)
    say("lx\u{8}s", at: 4)
    tick(at: 6)
    #expect(appended() == "ls")
    say("\u{8}p", at: 7)
    say("\n", at: 8)
    #expect(appended() == "\n$ lp\n")
    say("$ ", at: 9)
    tick(at: 11)
    // The rest is in the next file.
    encoder.end(into: &output)
    say("ls\n", at: 12)
    #expect(appended() == "$ \nls\n")
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
