import Glibc
import Plotting
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

/// Tables of numbers as logs: the encoder, and its files.
@Suite(.timeLimit(.minutes(30))) struct CSVEncoderTests {
  /// A moment some seconds after the first one.
  private func moment(_ seconds: UInt64) -> Moment {
    Moment(
      wallClock: 1_000_000_000 * (1_795_242_660 + seconds), monotonic: 1_000_000_000 * seconds)
  }

  private func time(_ seconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: 1_000_000_000 * seconds)
  }

  private func encoder(_ namesPorts: Bool = false) -> any LogEncoder {
    CSVEncoder(.pairs, namesPorts: namesPorts)
  }

  /// The output for contents at a time.
  private func encode(
    _ contents: [SampleContent], of port: Int = 0, at seconds: UInt64 = 0,
    _ encoder: inout any LogEncoder
  ) -> String {
    var output: [UInt8] = []
    for content in contents {
      LogsTests.encode(content, of: port, by: &encoder, at: moment(seconds), into: &output)
    }
    return text(output)
  }

  private func tick(_ seconds: Int64, _ encoder: inout any LogEncoder) -> String {
    var output: [UInt8] = []
    encoder.tick(at: time(seconds), into: &output)
    return text(output)
  }

  private func flush(_ encoder: inout any LogEncoder) -> String {
    var output: [UInt8] = []
    encoder.flush(into: &output)
    return text(output)
  }

  @Test func `The first rows wait a second for the names of all series`() {
    var encoder = encoder()
    #expect(encoder.deadline == nil)
    #expect(encode([.received("boot\n")], at: 1, &encoder) == "")
    #expect(encoder.deadline == nil)
    #expect(encode([.received("a=1\n")], at: 3, &encoder) == "")
    #expect(encode([.received("b=2\n")], at: 3, &encoder) == "")
    #expect(encoder.deadline == time(4) && encoder.heldCount == 6)
    #expect(tick(3, &encoder) == "")
    #expect(
      tick(4, &encoder) == "time,a,b\n1795242663.000000,1,\n1795242663.000000,,2\n")
    #expect(encoder.deadline == nil && encoder.heldCount == 0)
    #expect(encode([.received("b=3\n")], at: 5, &encoder) == "1795242665.000000,,3\n")
  }

  @Test func `The deadline is not moved by more rows`() {
    var encoder = encoder()
    _ = encode([.received("a=1\n")], at: 3, &encoder)
    _ = encode([.received("a=2\n")], at: 9, &encoder)
    #expect(encoder.deadline == time(4))
  }

  @Test func `What is sent, events and text are not in a table`() {
    var encoder = encoder()
    #expect(
      encode(
        [
          .sent("a=9\n"), .event(LogEvent(.opened, at: "/dev/ttyX")), .received("text\na=1\n"),
          .sent("a=8\n"),
        ],
        &encoder) == "")
    #expect(flush(&encoder) == "time,a\n1795242660.000000,1\n")
  }

  @Test func `A gap and the loss of the device do not join lines`() {
    let events = [LogEvent.Kind.lost, .released].map {
      SampleContent.event(LogEvent($0, at: "/dev/ttyX"))
    }
    for interruption in [.gap(1)] + events {
      var encoder = encoder()
      _ = encode([.received("a=1\na=2"), interruption, .received("3\na=4\n")], &encoder)
      #expect(flush(&encoder) == "time,a\n1795242660.000000,1\n1795242660.000000,4\n")
    }
    var encoder = encoder()
    _ = encode(
      [.received("a=1\na=2"), .event(LogEvent(.opened, at: "/dev/ttyX")), .received("3\n")],
      &encoder)
    #expect(flush(&encoder) == "time,a\n1795242660.000000,1\n1795242660.000000,23\n")
  }

  @Test func `A gap of a port leaves the line of another one`() {
    var encoder = encoder(true)
    for name in ["A", "B"] { _ = encode([.port(LogPort(name, at: "/dev/\(name)"))], &encoder) }
    _ = encode([.received("x=1")], of: 0, &encoder)
    _ = encode([.received("x=2")], of: 1, &encoder)
    _ = encode([.gap(1)], of: 1, &encoder)
    _ = encode([.received("0\n")], of: 0, &encoder)
    _ = encode([.received("5\nx=6\n")], of: 1, &encoder)
    #expect(
      flush(&encoder)
        == "time,A: x,B: x\n1795242660.000000,10,\n1795242660.000000,,6\n")
  }

  @Test func `A line without an end is not a row: its digits may be incomplete`() {
    var encoder = encoder()
    _ = encode([.received("a=1\na=2")], &encoder)
    #expect(flush(&encoder) == "time,a\n1795242660.000000,1\n")
  }

  // MARK: Files

  /// The files of a log, from the first one to the last.
  private func files(
    _ pieces: [String], rotation: LogRotation = LogRotation(), form: SampleForm? = .pairs,
    secondPort: [String] = []
  ) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("log.csv")
    var options = Log.Options()
    options.format = .csv
    options.sampleForm = form
    options.rotation = rotation
    options.namesPorts = !secondPort.isEmpty
    let log = try Log(LogName(path.string, port: "x"), options: options)
    let ports = secondPort.isEmpty ? [] : ["A", "B"].map { log.add(LogPort($0, at: "/dev/\($0)")) }
    for (index, piece) in pieces.enumerated() {
      Array(piece.utf8).withUnsafeBytes { log.append($0, .fromDevice, from: ports.first ?? 0) }
      guard index < secondPort.count else { continue }
      Array(secondPort[index].utf8).withUnsafeBytes { log.append($0, .fromDevice, from: ports[1]) }
    }
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    #expect(log.missingCount == 0)
    var paths: [FilePath] = []
    while case let next = FilePath("\(path).\(paths.count + 1)"), (try? next.stat()) != nil {
      paths.append(next)
    }
    return try (paths + [path]).map { text(try contents(of: $0)) }
  }

  private func contents(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      try [UInt8](unsafeUninitializedCapacity: 1 << 22) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// The rows of a file without their times.
  private func rows(_ file: String) -> [String] {
    file.split(separator: "\n").map { line in
      line.hasPrefix("time") ? String(line) : String(line.drop { $0 != "," }.dropFirst())
    }
  }

  @Test func `The end writes what was held back`() throws {
    #expect(try files(["a=1\n", "b=2\n"]).map(rows) == [["time,a,b", "1,", ",2"]])
    #expect(try files(["text\n"]) == [""])
    #expect(
      try files(["1;2\n", "3;4\n", "5;6\n"], form: nil).map(rows) == [
        ["time,value 1,value 2", "1,2", "3,4", "5,6"]
      ])
  }

  @Test func `A late series begins a new file, also without rotation`() throws {
    let rows = String(repeating: "a=1\n", count: TableStream.heldRowLimit)
    let files = try files([rows, "a=2\n", "a=3 b=4\n", "a=5\n"])
    #expect(files.count == 2)
    #expect(self.rows(files[0]).count == TableStream.heldRowLimit + 2)
    #expect(self.rows(files[0]).last == "2")
    #expect(self.rows(files[1]) == ["time,a,b", "3,4", "5,"])
  }

  @Test func `Until the next file begins, rows with new columns wait`() throws {
    for isFreed in [false, true] {
      let folder = try TemporaryFolder()
      let path = folder.path.appending("log.csv")
      let old = folder.path.appending("log.csv.1")
      // The file cannot get the name of a folder.
      #expect(mkdir(old.string, 0o700) == 0)
      var options = Log.Options()
      options.format = .csv
      options.sampleForm = .pairs
      options.rotation = LogRotation(keep: 1)
      var problems: [LogProblem?] = []
      let log = try Log(LogName(path.string, port: "x"), options: options) {
        if case .problem(let problem) = $1 { problems.append(problem) }
        if case .solved = $1 { problems.append(nil) }
      }
      let rows = String(repeating: "a=1\n", count: TableStream.heldRowLimit)
      for piece in [rows, "b=2\n"] {
        Array(piece.utf8).withUnsafeBytes { log.append($0, .fromDevice) }
      }
      let deadline = MonotonicTime.now + .seconds(60)
      func wait(until isDone: () -> Bool) {
        while !isDone(), .now < deadline {
          usleep(1_000)
          log.checkProgress()
        }
      }
      wait { !problems.isEmpty }
      guard case .notRotated = problems.first else {
        Issue.record("\(problems)")
        return
      }
      Array("b=3\n".utf8).withUnsafeBytes { log.append($0, .fromDevice) }
      if isFreed {
        #expect(rmdir(old.string) == 0)
        wait { problems.count > 1 }
      }
      log.close()
      #expect(log.finish(by: .now + .seconds(60)))
      let first = self.rows(text(try contents(of: isFreed ? old : path)))
      #expect(first.count == TableStream.heldRowLimit + 1 && first.last == "1")
      if isFreed {
        #expect(try self.rows(text(contents(of: path))) == ["time,a,b", ",2", ",3"])
      }
      // The row that was held back, and the line after it.
      #expect(log.missingCount == (isFreed ? 0 : 7))
    }
  }

  @Test func `Each file of a rotated table begins with the names`() throws {
    let rows = String(repeating: "a=1\n", count: TableStream.heldRowLimit)
    let pieces = [rows] + (0..<200).map { "a=\($0)\n" } + ["b=7\n", "a=8\n"]
    let files = try files(pieces, rotation: LogRotation(size: 1_024))
    #expect(files.count > 4)
    for file in files.dropLast() { #expect(self.rows(file).first == "time,a") }
    #expect(self.rows(files[files.count - 1]) == ["time,a,b", ",7", "8,"])
    let values = files.flatMap { self.rows($0).dropFirst() }
    #expect(values.count == TableStream.heldRowLimit + 202)
    #expect(Array(values.suffix(202).prefix(200)) == (0..<200).map { "\($0)" })
  }

  @Test func `A row without room before a late series has the old names`() throws {
    let rows = String(repeating: "a=1\n", count: TableStream.heldRowLimit)
    let files = try files([rows, "a=2\nb=3\n", "a=4\n"], rotation: LogRotation(size: 1_024))
    #expect(files.map { self.rows($0).count } == [TableStream.heldRowLimit + 1, 2, 3])
    #expect(self.rows(files[1]) == ["time,a", "2"])
    #expect(self.rows(files[2]) == ["time,a,b", ",3", "4,"])
  }

  /// An encoder that counts how often it is copied before a record.
  private struct CountingEncoder: LogEncoder {
    final class Count: Sendable {}

    let dependsOnFile: Bool
    var count = Count()

    mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
      if case .bytes(_, let bytes, _) = record.content {
        output.append(isKnownUniquelyReferenced(&count) ? UInt8(ascii: "1") : UInt8(ascii: "2"))
        output.append(contentsOf: bytes)
      }
    }
  }

  @Test func `An encoder that does not depend on the file is not copied for a rotation`() throws {
    for dependsOnFile in [false, true] {
      let folder = try TemporaryFolder()
      let path = folder.path.appending("log")
      let buffer = try LogBuffer(at: LogSnapshot.Place(path: path, file: nil), capacity: 1_024)
      let file = try LogFile(LogName(path.string, port: "x"), appends: false)
      let bytes = Array("x".utf8)
      bytes.withUnsafeBytes {
        let content = LogRecord.Content.bytes(.fromDevice, $0, by: nil)
        #expect(buffer.append(LogRecord(moment: sampleMoment, port: 0, content: content)))
      }
      buffer.close(with: [])
      LogWriter(
        file, CountingEncoder(dependsOnFile: dependsOnFile), rotation: LogRotation(size: 10),
        from: buffer
      ).run()
      #expect(text(try contents(of: path)) == (dependsOnFile ? "2x" : "1x"))
    }
  }

  @Test func `Several ports share a table`() throws {
    let files = try files(["x=1\n", "x=3\n"], secondPort: ["x=2\n", "y=4\n"])
    #expect(
      files.map(rows) == [["time,A: x,B: x,B: y", "1,,", ",2,", "3,,", ",,4"]])
  }
}
