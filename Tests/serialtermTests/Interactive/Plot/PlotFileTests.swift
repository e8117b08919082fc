import Glibc
import Logs
import Plotting
import SystemPackage
import Terminal
import TestSupport
import Testing
import TextStages
import Time

@testable import serialterm

/// Files of numbers, alone and several in one plot.
@Suite(.timeLimit(.minutes(30))) struct PlotFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String, _ text: String) throws -> String {
    try folder.write(name, Array(text.utf8)).string
  }

  /// What a file contains: the text, its time, and its port.
  private func contents(
    _ path: String, rate: Double? = nil
  ) throws -> [(text: String, time: Double, port: String?)] {
    let file = try PlotFile(path, rate: rate)
    var pieces: [(text: String, time: Double, port: String?)] = []
    while try file.next({ bytes, time, port in
      pieces.append((String(decoding: bytes, as: UTF8.self), time, port))
    }) {}
    return pieces
  }

  // MARK: Lines

  @Test func `Lines without times have their numbers, or times by a rate`() throws {
    let path = try path("a.log", "1\n2\r\n\n3")
    #expect(try PlotFile(path, rate: nil).timeKind == .lines)
    #expect(try contents(path).map(\.text) == ["1\n", "2\r\n", "\n", "3"])
    #expect(try contents(path).map(\.time) == [0, 1, 2, 3])
    #expect(try PlotFile(path, rate: 4).timeKind == .seconds)
    #expect(try contents(path, rate: 4).map(\.time) == [0, 0.25, 0.5, 0.75])
    #expect(try contents(path).allSatisfy { $0.port == nil })
  }

  @Test(arguments: [
    ("1795242660.125000", "1795242661.500000", ChartView.TimeKind.clock),
    ("0.000000", "0.250000", .seconds),
  ])
  func `A table that was written before has the times of its rows`(
    first: String, second: String, kind: ChartView.TimeKind
  ) throws {
    let path = try path("a.csv", "time,a,b\n\(first),1,\n\(second),,2\n")
    #expect(try PlotFile(path, rate: nil).timeKind == kind)
    let pieces = try contents(path)
    #expect(pieces.map(\.text) == ["a,b\n", "1,\n", ",2\n"])
    #expect(pieces.dropFirst().map(\.time) == [Double(first), Double(second)])
  }

  @Test(arguments: [
    "time,a\n1000,1\n", "time,a\n", "time,a", "time,a\n12:30:01.125,1\n", "a,time\n0.000000,1\n",
  ])
  func `Another column of times is a series`(text: String) throws {
    let path = try path("a.csv", text)
    #expect(try PlotFile(path, rate: nil).timeKind == .lines)
    #expect(try contents(path).map(\.text).joined() == text)
  }

  @Test func `An empty file has nothing`() throws {
    #expect(try contents(path("a.log", "")).isEmpty)
  }

  @Test(arguments: [
    (
      "[2026-11-21T07:31:00.125000+01:00] ", "[2026-11-21T07:31:01.5+01:00] ",
      ChartView.TimeKind.clock, 1_795_242_660.125, 1_795_242_661.5
    ),
    ("[1795242660.125] ", "[1795242661.500] ", .clock, 1_795_242_660.125, 1_795_242_661.5),
    ("[    0.125] ", "[  100.500] ", .seconds, 0.125, 100.5),
    ("[+    0.125] ", "[+    1.500] ", .seconds, 0.125, 1.625),
  ])
  func `Timestamps are the times of the lines`(
    _ first: String, _ second: String, _ kind: ChartView.TimeKind, _ start: Double, _ end: Double
  ) throws {
    let path = try path("a.txt", "\(first)a=1\n\(second)a=2\nno time\n")
    #expect(try PlotFile(path, rate: 1).timeKind == kind)
    let pieces = try contents(path, rate: 1)
    #expect(pieces.map(\.text) == ["a=1\n", "a=2\n", "no time\n"])
    #expect(pieces.map(\.time) == [start, end, end])
  }

  @Test func `Times of day go on after midnight, and are those of the day of the file`() throws {
    let path = try path("a.txt", "[23:59:59.500] 1\n[00:00:01.000] 2\n[12:00:00.000] 3\n")
    #expect(try PlotFile(path, rate: nil).timeKind == .clock)
    let times = try contents(path).map(\.time)
    #expect(times.map { $0 - times[0] } == [0, 1.5, 43_200.5])
    let written = try CalendarTime(local: UInt64(FilePath(path).stat().st_mtim.tv_sec))
    let moment = CalendarTime(local: UInt64(times[0]))
    #expect((moment.month, moment.day) == (written.month, written.day))
    #expect((moment.hour, moment.minute, moment.second) == (23, 59, 59))
  }

  @Test func `Of a log of both directions, only received lines count`() throws {
    let path = try path(
      "a.txt", "[1795242660.125] < a=1\n[1795242660.250] > a=9\n[1795242660.500] < a=2\n")
    #expect(try contents(path).map(\.text) == ["a=1\n", "a=2\n"])
    #expect(try contents(path).map(\.time) == [1_795_242_660.125, 1_795_242_660.5])
  }

  // MARK: Logs

  /// A log of received and sent bytes, with an event.
  private func log(_ name: String, _ format: LogFormat, ports: [String] = []) throws -> String {
    let path = folder(name)
    var options = Log.Options()
    options.format = format
    options.logsSent = true
    options.namesPorts = !ports.isEmpty
    let log = try Log(LogName(path.string, port: "x"), options: options)
    let numbers = ports.isEmpty ? [0] : ports.map { log.add(LogPort($0, at: "/dev/\($0)")) }
    log.append(LogEvent(.opened, at: "/dev/x"))
    for number in numbers {
      Array("a=1\na=".utf8).withUnsafeBytes { log.append($0, .fromDevice, from: number) }
      Array("a=9\n".utf8).withUnsafeBytes { log.append($0, .toDevice, from: number) }
      Array("2\n".utf8).withUnsafeBytes { log.append($0, .fromDevice, from: number) }
    }
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    return path.string
  }

  @Test(arguments: [LogFormat.jsonl, .pcapng])
  func `Logs with packets have the received bytes, their times and ports`(
    _ format: LogFormat
  ) throws {
    let now = Double(Moment.now.wallClock) / 1e9
    // The first bytes decide, not the name.
    let one = try log("one.dat", format)
    #expect(try PlotFile(one, rate: 5).timeKind == .clock)
    #expect(try contents(one).map(\.text) == ["a=1\na=", "2\n"])
    #expect(try contents(one).allSatisfy { $0.port == nil && abs($0.time - now) < 60 })
    let two = try log("two.dat", format, ports: ["A", "B"])
    #expect(try contents(two).map(\.text) == ["a=1\na=", "2\n", "a=1\na=", "2\n"])
    #expect(try contents(two).map(\.port) == ["A", "A", "B", "B"])
  }

  @Test func `A text log of both directions is read`() throws {
    let path = try log("a.txt", .text)
    #expect(try PlotFile(path, rate: nil).timeKind == .clock)
    let text = try contents(path).map(\.text).joined()
    #expect(text.contains("a=1\n") && !text.contains("a=9"))
  }

  @Test func `JSON of a device is not a log`() throws {
    let path = try path("a.jsonl", #"{"time":5,"a":1}"# + "\n" + #"{"time":"now","a":2}"# + "\n")
    #expect(try PlotFile(path, rate: nil).timeKind == .lines)
    #expect(try contents(path).count == 2)
    let other = try self.path("b.jsonl", #"{"time":"now","a":2}"# + "\n")
    #expect(try PlotFile(other, rate: nil).timeKind == .lines)
  }

  @Test(arguments: [
    #"{"bytes":"MQo=","direction":"from-device","time":"2026-11-21T06:31:00.5Z"}"#,
    #"{ "direction": "from-device", "bytes": "MQo=", "time": "2026-11-21T06:31:00.5Z" }"#,
    "\n" + #"{"time":"2026-11-21T06:31:00.5Z","direction":"from-device","bytes":"MQo="}"#,
    #"{"event":"lost","path":"x","time":"2026-11-21T06:31:00Z"}"# + "\n"
      + #"{"bytes":"MQo=","direction":"from-device","time":"2026-11-21T06:31:00.5Z"}"#,
    #"{"event":"gap","missing":7,"time":"2026-11-21T06:31:00Z"}"# + "\n"
      + #"{"bytes":"MQo=","direction":"from-device","time":"2026-11-21T06:31:00.5Z"}"#,
    #"{"event":"started"}"# + "\n" + #"{"event":"mark","time":"2026-11-21T06:31:00Z"}"# + "\n"
      + #"{"bytes":"MQo=","direction":"from-device","time":"2026-11-21T06:31:00.5Z"}"#,
    #"{"direction":"from-device","bytes":"MQo=","time":"2026-11-21T06:31:00.5Z","text":""#
      + String(repeating: "x", count: 70_000) + #""}"#,
  ])
  func `A log in JSON lines is one whatever the order of its members`(text: String) throws {
    let path = try path("a.jsonl", text + "\n")
    #expect(try PlotFile(path, rate: nil).timeKind == .clock)
    #expect(try contents(path).map(\.text) == ["1\n"])
    #expect(try contents(path).map(\.time) == [1_795_242_660.5])
  }

  @Test(arguments: [
    #"{"a":1,"time":"2026-11-21T06:31:00Z"}"#,
    #"{"a":1,"bytes":"MQo=","time":"2026-11-21T06:31:00Z"}"#,
    #"{"a":1,"direction":"from-device","bytes":"MQo=","time":"now"}"#,
    #"{"bytes":1024,"direction":"from-device","time":"2026-11-21T06:31:00Z"}"#,
    #"{"event":"request","path":"/","ms":12,"time":"2026-11-21T06:31:00Z"}"#,
    #"{"event":"mark","a":1,"time":"2026-11-21T06:31:00Z"}"#,
    #"{"event":"gap","a":1,"time":"2026-11-21T06:31:00Z"}"#,
    #"{"time":"12:00:01","temp":21.5,"event":"none"}"#,
    #"{"time":"12:00:01","direction":"from-device","bytes":"MQo="}"#,
    #"{"time":"2026-11-21T06:31:00Z","bytes":"MQo="}"#, #"{"event":"started"}"#,
    #"{"time":"12:00:01","temp":21.5,"event":"#, #"{"bytes":"MQo=","time":"12:00:01","#,
    #"[{"time":"2026-11-21T06:31:00Z","direction":"from-device","bytes":"MQo="}]"#, "{", " 1", "",
  ])
  func `Data in JSON are not a log, although they have members of one`(text: String) throws {
    let path = try path("a.jsonl", text + "\n")
    #expect(try PlotFile(path, rate: nil).timeKind == .lines)
    #expect(try contents(path).map(\.text) == [text + "\n"])
  }

  @Test func `The first line with data decides whether JSON is a log`() throws {
    let entry = #"{"time":"2026-11-21T06:31:00.5Z","direction":"from-device","bytes":"MQo="}"#
    for text in [#"{"time":"12:00:01","temp":21.5}"#, "[    0.100] 1", "{\n1"] {
      let path = try path("a.jsonl", "\(text)\n\(entry)\n" + #"{"event":"lost"}"# + "\n")
      #expect(try PlotFile(path, rate: nil).timeKind != .clock)
      #expect(try contents(path).map(\.text).contains(entry + "\n"))
    }
  }

  @Test(arguments: [
    #"{"time":"2026-11-21T06:31:00.5Z","direction":"from-device","bytes":"AAA"}"#,
    #"{"time":"2026-11-21T06:31:00.5Z","direction":"from-device","bytes":"AA"#,
  ])
  func `A damaged log is refused with its name`(text: String) throws {
    let path = try path("a.jsonl", text + "\n")
    let failure = #expect(throws: Failure.self) { try contents(path) }
    #expect(failure?.message.hasPrefix(path) == true)
  }

  @Test func `A log in a pipe is refused, lines in a pipe are read`() throws {
    let pipe = folder("pipe")
    #expect(mkfifo(pipe.string, 0o600) == 0)
    let entry = #"{"time":"2026-11-21T06:31:00.5Z","direction":"from-device","bytes":"AAAA"}"#
    for (text, isLog) in [("1\n2\n", false), (entry + "\n", true)] {
      // Opened for both directions, so that it does not wait for a reader.
      let writer = try FileDescriptor.open(pipe, .readWrite)
      _ = try writer.writeAll(text.utf8)
      if isLog {
        #expect(throws: Failure.self) { try PlotFile(pipe.string, rate: nil) }
        try writer.close()
        continue
      }
      let file = try PlotFile(pipe.string, rate: nil)
      #expect(!file.isRegular)
      try writer.close()
      var lines: [String] = []
      while try file.next({ bytes, _, _ in lines.append(String(decoding: bytes, as: UTF8.self)) }) {
      }
      #expect(lines == ["1\n", "2\n"])
    }
  }

  // MARK: Several files

  private func merged(_ paths: [String], rate: Double? = nil) throws -> [String] {
    let files = try PlotFiles(paths, rate: rate)
    #expect(files.canReadAgain)
    var found: [String] = []
    try files.forEach { bytes, time, origin in
      let text = String(decoding: bytes, as: UTF8.self).split(separator: "\n").joined()
      found.append("\(origin.name) \(text) \(time)")
    }
    return found
  }

  @Test func `Several files are read in the order of their times`() throws {
    let first = try path("a.txt", "[    0.100] 1\n[    0.300] 2\n[    0.300] 3\n")
    let second = try path("b.txt", "[    0.200] 4\n[    0.300] 5\n[    9.000] 6\n")
    #expect(
      try merged([first, second]) == [
        "a.txt 1 0.1", "b.txt 4 0.2", "a.txt 2 0.3", "a.txt 3 0.3", "b.txt 5 0.3", "b.txt 6 9.0",
      ])
    let lines = try ["c", "d"].map { try path($0, "1\n2\n") }
    #expect(try merged(lines) == ["c 1 0.0", "d 1 0.0", "c 2 1.0", "d 2 1.0"])
    #expect(try merged(lines, rate: 2) == ["c 1 0.0", "d 1 0.0", "c 2 0.5", "d 2 0.5"])
    #expect(try merged([lines[0]]) == ["c 1 0.0", "c 2 1.0"])
  }

  @Test func `The ports of logs are sources of their own`() throws {
    let logs = try ["a.jsonl", "b.pcapng"].map { try log($0, .jsonl, ports: ["A", "B"]) }
    func names(_ paths: [String]) throws -> Set<String> {
      var names: Set<String> = []
      try PlotFiles(paths, rate: nil).forEach { _, _, origin in names.insert(origin.name) }
      return names
    }
    #expect(try names([logs[0]]) == ["A", "B"])
    #expect(try names(logs) == ["a.jsonl A", "a.jsonl B", "b.pcapng A", "b.pcapng B"])
  }

  @Test func `Files whose times cannot be compared are refused`() throws {
    let paths = [try path("a.txt", "[    0.100] 1\n"), try path("b", "1\n")]
    let failure = #expect(throws: Failure.self) { try PlotFiles(paths, rate: nil) }
    #expect(failure?.status == .usage)
    // With a rate, both count from the beginning.
    #expect(try PlotFiles(paths, rate: 10).timeKind == .seconds)
  }

  @Test func `A missing file is named`() throws {
    let failure = #expect(throws: Failure.self) {
      try PlotFiles([folder("none.txt").string], rate: nil)
    }
    #expect(failure?.message.contains("none.txt: cannot be opened") == true)
  }
}
