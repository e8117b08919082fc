import Posix
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

/// Logs of several ports: each entry names its port.
@Suite(.timeLimit(.minutes(30))) struct MergedLogTests {
  private let folder: TemporaryFolder
  private let alpha = LogPort("alpha", at: "/dev/ttyUSB0")
  private let beta = LogPort("beta", at: "/dev/ttyUSB1")

  init() throws { folder = try TemporaryFolder() }

  private func lost(_ port: LogPort) -> SampleContent {
    .event(LogEvent(.lost, at: port.endpoint))
  }

  private var samples: [(port: Int, SampleContent)] {
    [
      (0, .port(alpha)), (1, .port(beta)), (0, .received("one\n")), (1, .received("\u{0}two\n")),
      (1, .sent("typed")), (0, lost(alpha)), (1, .gap(7)), (0, .received("three")),
    ]
  }

  // MARK: JSON lines

  @Test func `Each line of JSON names its port`() {
    let log = text(
      mergedLog(
        .jsonl,
        [(0, .port(alpha)), (1, .port(beta)), (1, .received("x")), (0, lost(alpha)), (1, .gap(7))]))
    #expect(
      log == """
        {"time":"2026-11-21T06:31:00.123456Z","port":"beta","direction":"from-device","bytes":"eA==",\
        "text":"x"}
        {"time":"2026-11-21T06:31:00.123456Z","port":"alpha","event":"lost","path":"/dev/ttyUSB0"}
        {"time":"2026-11-21T06:31:00.123456Z","port":"beta","event":"gap","missing":7}

        """)
  }

  @Test func `A client's bytes name it and their port`() throws {
    let contents: [(port: Int, SampleContent)] = [
      (0, .port(alpha)), (1, .port(beta)), (1, .sent("x", by: "max on pts/3")),
    ]
    #expect(
      text(mergedLog(.jsonl, contents))
        == #"{"time":"2026-11-21T06:31:00.123456Z","port":"beta","direction":"to-device","#
        + #""by":"max on pts/3","bytes":"eA==","text":"x"}"# + "\n")
    #expect(text(mergedLog(.pcapng, contents)).contains("by max on pts/3"))
    #expect(try read(mergedLog(.pcapng, contents)).entries.map(\.port) == ["beta"])
  }

  // MARK: Reading

  private func read(_ log: [UInt8]) throws -> (entries: [LogEntry], ports: [String]) {
    let reader = try LogReader(try folder.file("copy", log))
    var entries: [LogEntry] = []
    while case .entry(let entry) = try reader.next() { entries.append(entry) }
    return (entries, reader.ports)
  }

  @Test(arguments: [LogFormat.jsonl, .pcapng])
  func `What was logged comes back with its port`(format: LogFormat) throws {
    let (entries, ports) = try read(mergedLog(format, samples))
    #expect(ports == ["alpha", "beta"])
    #expect(entries.map(\.port) == ["alpha", "beta", "beta", "alpha"])
    #expect(entries.map { text($0.bytes) } == ["one\n", "\u{0}two\n", "typed", "three"])
    #expect(entries.map(\.direction) == [.fromDevice, .fromDevice, .toDevice, .fromDevice])
  }

  @Test(arguments: [LogFormat.jsonl, .pcapng])
  func `A port that only had events is one of the ports`(format: LogFormat) throws {
    let ports = try read(
      mergedLog(
        format, [(0, .port(alpha)), (1, .port(beta)), (1, lost(beta)), (0, .received("x"))])
    ).ports
    #expect(Set(ports) == ["alpha", "beta"])
  }

  @Test(arguments: [LogFormat.jsonl, .pcapng])
  func `A log of one port names none`(format: LogFormat) throws {
    var encoder = format.encoder(marksDirection: false)
    var log: [UInt8] = []
    encoder.begin(into: &log)
    let (entries, ports) = try read(log + encoded(by: encoder, [.received("x"), lost(alpha)]))
    #expect(entries.map(\.port) == [nil])
    #expect(ports == [])
  }

  @Test func `A section that was appended has its own numbers of interfaces`() throws {
    let log =
      mergedLog(.pcapng, samples)
      + mergedLog(.pcapng, [(0, .port(beta)), (1, .port(alpha)), (0, .received("of beta"))])
    let (entries, ports) = try read(log)
    #expect(ports == ["alpha", "beta"])
    #expect(entries.last?.port == "beta")
  }

  @Test func `A port that is added later is an interface between the packets`() throws {
    let log = mergedLog(
      .pcapng,
      [(0, .port(alpha)), (0, .received("x")), (1, .port(beta)), (1, .received("y"))])
    #expect(try read(log).entries.map(\.port) == ["alpha", "beta"])
  }

  // MARK: Text

  /// Encodes text of ports at times in milliseconds.
  private struct TextBench {
    var encoder: any LogEncoder
    var output: [UInt8] = []

    init(marksDirection: Bool = false) {
      encoder = LogFormat.text.encoder(marksDirection: marksDirection, namesPorts: true)
      add(.port(LogPort("alpha", at: "x")), 0, at: 0)
      add(.port(LogPort("b", at: "y")), 1, at: 0)
    }

    mutating func add(_ content: SampleContent, _ port: Int, at milliseconds: UInt64) {
      let time = milliseconds * 1_000_000
      encode(
        content, of: port, by: &encoder,
        at: Moment(wallClock: sampleMoment.wallClock + time, monotonic: time), into: &output)
    }

    mutating func tick(at milliseconds: Int64) {
      encoder.tick(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000), into: &output)
    }

    /// The lines without date and offset: `00.123 alpha | text`.
    mutating func lines() -> [String] {
      defer { output = [] }
      return text(output).split(separator: "\n", omittingEmptySubsequences: false).map { line in
        guard line.first == "[" else { return String(line) }
        // `[2026-11-21T07:31:00.123456+01:00] `
        return "\(line.dropFirst(18).prefix(6)) \(line.dropFirst(35))"
      }
    }
  }

  @Test func `Lines are whole, and have the time of their first byte and the name of their port`() {
    var bench = TextBench()
    bench.add(.received("one "), 0, at: 0)
    bench.add(.received("other\r\n"), 1, at: 10)
    bench.add(.received("line\r\n"), 0, at: 20)
    #expect(bench.lines() == ["00.133 b     | other", "00.123 alpha | one line", ""])
  }

  @Test func `The beginning of a line is held back while its port speaks, and counted`() {
    var bench = TextBench()
    bench.add(.received("x\r\nlogin: "), 0, at: 0)
    bench.add(.received("ab"), 1, at: 20)
    #expect(bench.encoder.heldCount == 9)
    #expect(bench.encoder.deadline == MonotonicTime(nanoseconds: 2_000_000_000))
    bench.tick(at: 1_999)
    #expect(bench.encoder.heldCount == 9)
    bench.tick(at: 2_000)
    #expect(bench.encoder.heldCount == 2)
    #expect(bench.lines() == ["00.123 alpha | x", "00.123 alpha | login: ", ""])
    bench.encoder.flush(into: &bench.output)
    #expect(bench.encoder.heldCount == 0)
    #expect(bench.encoder.deadline == nil)
    #expect(bench.lines() == ["00.143 b     | ab", ""])
  }

  @Test func `What goes on in the next file has its name and time again`() {
    var bench = TextBench()
    bench.add(.received("shown"), 0, at: 0)
    bench.tick(at: 2_000)
    bench.add(.received("held"), 1, at: 2_000)
    bench.encoder.end(into: &bench.output)
    #expect(bench.lines() == ["00.123 alpha | shown", ""])
    bench.add(.received(" and rest\n"), 0, at: 2_010)
    bench.add(.received(" back\n"), 1, at: 2_020)
    #expect(bench.lines() == ["02.133 alpha |  and rest", "02.123 b     | held back", ""])
  }

  @Test func `An event ends the line of its port alone`() {
    var bench = TextBench(marksDirection: true)
    bench.add(.received("of alpha"), 0, at: 0)
    bench.add(.received("of b"), 1, at: 1)
    bench.add(.event(LogEvent(.lost, at: "y")), 1, at: 2)
    bench.add(.sent("typed"), 0, at: 3)
    bench.encoder.flush(into: &bench.output)
    #expect(
      bench.lines() == [
        "00.124 b     | < of b", "00.125 b     | [lost y]", "00.123 alpha | < of alpha",
        "00.126 alpha | > typed", "",
      ])
  }

  /// For any pieces: without times and names, the text of each port is what it sent.
  @Test(arguments: 0..<repetitions(100)) func `No text is lost or added`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    var bench = TextBench()
    var sent = ["", ""]
    for time in 0..<200 {
      let port = Int.random(in: 0...1, using: &random)
      let piece = ["x", "word ", "line\n", "\n", "end\nbegin"].randomElement(using: &random)!
      sent[port] += piece
      bench.add(
        .received(piece), port, at: UInt64(time) * UInt64.random(in: 10...20, using: &random))
      if Bool.random(using: &random) { bench.tick(at: Int64(time) * 20 + 2_000) }
    }
    bench.encoder.flush(into: &bench.output)
    var seen = ["", ""]
    for line in bench.lines() where !line.isEmpty {
      let row = line.dropFirst(7)
      seen[row.hasPrefix("alpha | ") ? 0 : 1] += row.dropFirst(8)
    }
    // The middle of a split line has no line end, so line ends cannot be compared.
    #expect(seen == sent.map { $0.replacing("\n", with: "") })
  }

  // MARK: Files

  private func log(
    _ format: LogFormat, size: Int? = nil, report: @escaping (Log.News) -> Void = { _ in }
  ) throws -> Log {
    var options = Log.Options()
    options.format = format
    options.namesPorts = true
    options.rotation = LogRotation(size: size)
    return try Log(LogName(folder.path.appending("log").string, port: "x"), options: options) {
      report($1)
    }
  }

  private func append(_ text: String, from port: Int, to log: Log) {
    Array(text.utf8).withUnsafeBytes { log.append($0, .fromDevice, from: port) }
  }

  /// Closes a log, and returns the contents of its files, the oldest first.
  private func files(of log: Log) throws -> [FilePath] {
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    #expect(log.missingCount == 0)
    var paths: [FilePath] = []
    while case let next = folder.path.appending("log.\(paths.count + 1)"), (try? next.stat()) != nil
    {
      paths.append(next)
    }
    return paths + [log.path]
  }

  @Test func `Every file of a capture describes the ports that it needs`() throws {
    let log = try log(.pcapng, size: 600)
    let ports = [log.add(alpha), log.add(beta)]
    for number in 0..<40 { append("line \(number)\n", from: ports[number % 2], to: log) }
    let files = try files(of: log)
    #expect(files.count > 3)
    var said = ["alpha": "", "beta": ""]
    for file in files {
      let (entries, names) = try read(try file.contents())
      #expect(names == ["alpha", "beta"])
      for entry in entries { said[entry.port ?? "", default: ""] += text(entry.bytes) }
    }
    for (remainder, name) in ["alpha", "beta"].enumerated() {
      let lines = (0..<40).filter { $0 % 2 == remainder }.map { "line \($0)\n" }
      #expect(said[name] == lines.joined())
    }
  }

  @Test func `Lines of text are complete over the ends of files`() throws {
    let log = try log(.text, size: 300)
    let ports = [log.add(alpha), log.add(beta)]
    for number in 0..<20 {
      append("line ", from: ports[0], to: log)
      append("\(number) of beta\n", from: ports[1], to: log)
      append("\(number) of alpha\n", from: ports[0], to: log)
    }
    append("no end", from: ports[0], to: log)
    var lines: [Substring] = []
    for file in try files(of: log) {
      let contents = text(try file.contents())
      #expect(contents.utf8.count <= 300)
      lines += contents.split(separator: "\n").map { $0.dropFirst(35) }
    }
    // On a slow computer a line may be split, which keeps its text.
    for (name, ending) in [("alpha", "no end"), ("beta ", "")] {
      let said = lines.filter { $0.hasPrefix("\(name) | ") }.map { $0.dropFirst(8) }.joined()
      let number = name == "alpha" ? "line " : ""
      let word = name == "alpha" ? "alpha" : "beta"
      #expect(said == (0..<20).map { "\(number)\($0) of \(word)" }.joined() + ending)
    }
  }

  /// A record that is larger than the buffer never fits, however fast the disk is.
  @Test func `A gap is counted for each port`() throws {
    var news: [Log.News] = []
    let log = try log(.jsonl) { news.append($0) }
    let ports = [log.add(alpha), log.add(beta)]
    let large = [UInt8](repeating: 0x78, count: Log.capacity)
    for port in ports { large.withUnsafeBytes { log.append($0, .fromDevice, from: port) } }
    append("x", from: ports[1], to: log)
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    #expect(log.missingCount == 2 * Log.capacity)
    #expect(news == [.overflow, .resumed(missing: 2 * Log.capacity)])
    let lines = text(try log.path.contents()).split(separator: "\n")
    for (line, name) in zip(lines, ["alpha", "beta"]) {
      #expect(line.hasSuffix("\"port\":\"\(name)\",\"event\":\"gap\",\"missing\":\(Log.capacity)}"))
    }
    #expect(lines.count == 3)
  }
}
