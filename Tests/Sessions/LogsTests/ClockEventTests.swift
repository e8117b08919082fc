import Framing
import Posix
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

/// The clock is set while a log is written.
@Suite(.timeLimit(.minutes(30))) struct ClockEventTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private let day: UInt64 = 86_400_000_000_000
  private var set: LogEvent {
    LogEvent(
      .clock, at: "",
      .clock(old: sampleMoment.wallClock, new: sampleMoment.wallClock + day + 500_000))
  }

  @Test func `The step is in every format that has events`() throws {
    #expect(
      text(encoded(by: JSONLinesEncoder(), [.event(set)])) == """
        {"time":"2026-11-21T06:31:00.123456Z","event":"clock","step":86400.000500,\
        "old":"2026-11-21T06:31:00.123456Z","new":"2026-11-22T06:31:00.123956Z"}

        """)
    let words =
      "clock set by +86400.000500 s: 2026-11-22T06:31:00.123956Z, before: "
      + "2026-11-21T06:31:00.123456Z"
    #expect("\(set)" == words)
    #expect(
      text(encoded(by: TextEncoder(marksDirection: false), [.received("cut"), .event(set)]))
        .hasSuffix("] cut\n[\(stamp)] [\(words)]\n"))
    let new = sampleMoment.wallClock + day + 500_000
    #expect(LogEvent.clockStep(in: words[...], at: new) == 86_400_000_500_000)
    #expect(LogEvent.clockStep(in: words[...], at: new + 1_000) == nil)
    #expect(encoded(by: RawEncoder(), [.event(set)]) == [])
  }

  private var stamp: String {
    var stamper = LineStamper.ofLogs
    var output: [UInt8] = []
    stamper.append(timeOf: sampleMoment, to: &output)
    return String(text(output).dropFirst().dropLast(2))
  }

  @Test func `Steps have their sign and no more digits than times`() {
    let steps: [(UInt64, UInt64, String)] = [
      (0, 0, "+0.000000"), (1_999, 2_000, "+0.000001"), (2_000, 1_999, "-0.000001"),
      (5_000_000_000, 0, "-5.000000"), (0, .max, "+18446744073.709551"),
    ]
    for (old, new, text) in steps { #expect(LogEvent.seconds(from: old, to: new) == text) }
    for text in [
      "", "clock set by", "clock set by x s: y, before: z", "clock set by , before:  s: ",
    ] {
      #expect(LogEvent.clockStep(in: text[...], at: 0) == nil)
    }
    #expect(
      LogEvent.clockStep(
        from: "1970-01-01T00:00:00Z", to: UniversalTime.text(.max), at: .max) == .max)
  }

  @Test func `What a device says of the clock does not move it`() throws {
    let forged = [
      "[clock tree at 48 MHz]", "[clock]",
      "[clock set by +1 s: 2026-11-20T00:00:00Z, before: 2030-10-20T00:00:00Z]",
    ]
    let lines = ["one"] + forged + ["two"]
    let contents = lines.map { SampleContent.received("\($0)\n") }
    let texts = try entries(encoded(by: TextEncoder(marksDirection: false), contents))
    #expect(texts == Dictionary(uniqueKeysWithValues: lines.map { ($0, 0) }))
    // The same in the other formats, in which a device cannot write it.
    for format in [LogFormat.jsonl, .pcapng] {
      for isTrue in [true, false] {
        let event = LogEvent(
          .clock, at: "",
          .clock(old: 0, new: isTrue ? sampleMoment.wallClock : sampleMoment.wallClock - day))
        var header: [UInt8] = []
        var encoder = format.encoder(marksDirection: false)
        encoder.begin(into: &header)
        let reader = try LogReader(
          try folder.file(
            "log", header + encoded(by: encoder, [.event(event), .received("two")])))
        guard case .entry(let entry) = try reader.next() else {
          Issue.record("no entry")
          return
        }
        #expect((entry.clockStep != 0) == isTrue)
      }
    }
  }

  /// The received text of a log, with the steady time of each entry from the first one on.
  private func entries(_ contents: [UInt8]) throws -> [String: Int64] {
    let reader = try LogReader(try folder.file("log", contents))
    var entries: [(String, Int64)] = []
    while case .entry(let entry) = try reader.next() {
      entries.append((text(entry.bytes).trimmingEnd, entry.steadyTime))
    }
    let first = entries.first?.1 ?? 0
    return Dictionary(uniqueKeysWithValues: entries.map { ($0.0, $0.1 - first) })
  }

  @Test(arguments: LogFormat.playable)
  func `A reader has times without the steps`(format: LogFormat) throws {
    var encoder = format.encoder(marksDirection: false)
    var output: [UInt8] = []
    encoder.begin(into: &output)
    var wall: UInt64 = 1_000_000_000
    func write(_ content: SampleContent) {
      encode(
        content, by: &encoder, at: Moment(wallClock: wall, monotonic: 0), into: &output)
      wall += 1_000_000
    }
    // From 1970 to 2026, and back by an hour.
    for (text, new): (String, UInt64?) in [
      ("a", nil), ("b", nil), ("c", 1_795_242_660_000_000_000),
      ("d", 1_795_239_060_000_000_000), ("e", nil),
    ] {
      if let new {
        let old = wall
        wall = new
        write(.event(LogEvent(.clock, at: "", .clock(old: old, new: new))))
      }
      write(.received("\(text)\n"))
    }
    let times = try entries(output)
    let expected: [String: Int64] = [
      "a": 0, "b": 1_000_000, "c": 3_000_000, "d": 5_000_000, "e": 6_000_000,
    ]
    // The times of a text log are read as fractions of a second.
    for (text, time) in expected { #expect(abs((times[text] ?? .max / 2) - time) < 2_000) }
  }

  @Test func `A log notices the step before the first record after it, once`() throws {
    final class Clocks {
      var (wall, monotonic): (UInt64, UInt64) = (2_000_000_000, 1_000_000_000)
    }
    let clocks = Clocks()
    let clock = ClockSteps {
      ClockSteps.Reading(
        wallClock: clocks.wall, monotonic: clocks.monotonic, sinceBoot: clocks.monotonic)
    }
    var options = Log.Options()
    options.format = .jsonl
    options.namesPorts = true
    let log = try Log(
      LogName(folder("log.jsonl").string, port: ""), options: options, clock: clock)
    let ports = ["A", "B"].map { log.add(LogPort($0, at: "/dev/\($0)")) }
    func receive(_ text: String, from port: Int) {
      clocks.wall += 1_000
      clocks.monotonic += 1_000
      Array(text.utf8).withUnsafeBytes {
        log.append(
          $0, .fromDevice, from: port,
          at: Moment(wallClock: clocks.wall, monotonic: clocks.monotonic))
      }
    }
    receive("a", from: ports[0])
    clocks.wall += 5_000_000_000
    receive("b", from: ports[1])
    receive("c", from: ports[0])
    clocks.wall -= 1_000_000_000
    receive("d", from: ports[0])
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    let lines = text(try log.path.contents()).split(separator: "\n")
    #expect(lines.count == 6)
    #expect(
      lines[1] == """
        {"time":"1970-01-01T00:00:07.000002Z","port":"B","event":"clock","step":5.000000,\
        "old":"1970-01-01T00:00:02.000002Z","new":"1970-01-01T00:00:07.000002Z"}
        """)
    #expect(lines[4].contains(#""port":"A","event":"clock","step":-1.000000,"#))
    let times = try entries(Array(lines.joined(separator: "\n").utf8))
    #expect(times == ["a": 0, "b": 1_000, "c": 2_000, "d": 3_000])
  }

  @Test func `A frame ends where the clock is set, so that each has the time of its clock`() throws
  {
    let encoder = try LogFormat.jsonl.encoder(
      marksDirection: false, frameForm: ChosenFrameForm(parsing: "slip"))
    let lines = text(
      encoded(
        by: encoder,
        [.bytes(.fromDevice, [0xC0, 1]), .event(set), .bytes(.fromDevice, [2, 0xC0])])
    ).split(separator: "\n")
    #expect(lines.firstIndex { $0.contains("clock") } == 1)
  }
}

extension String {
  fileprivate var trimmingEnd: String { String(trimmingSuffix { $0.isWhitespace }) }

  private func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    var rest = self[...]
    while let last = rest.last, isTrimmed(last) { rest.removeLast() }
    return rest
  }
}
