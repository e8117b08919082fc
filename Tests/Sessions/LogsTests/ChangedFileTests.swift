import Glibc
import Plotting
import Posix
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

/// What other programs do to the file of a log while it is written.
@Suite(.timeLimit(.minutes(30))) struct ChangedFileTests {
  private let folder: TemporaryFolder
  private let path: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder("log")
  }

  /// When the other program acts.
  enum Act: CaseIterable, Sendable {
    /// Between two records.
    case between
    /// After the look at the file, before the write.
    case withinWrite
  }

  /// An encoder during which another program acts once.
  private struct Interrupted: LogEncoder {
    var encoder: any LogEncoder
    let isWithinWrite: Bool
    let act: () -> Void
    private let counter = Counter()

    /// The number of the record before which it acts.
    private let number: Int

    init(
      _ encoder: any LogEncoder, isWithinWrite: Bool, at number: Int = 3,
      act: @escaping () -> Void
    ) {
      (self.encoder, self.isWithinWrite, self.act) = (encoder, isWithinWrite, act)
      self.number = number
    }

    var dependsOnFile: Bool { encoder.dependsOnFile }

    private final class Counter { var count = 0 }

    mutating func begin(into output: inout [UInt8]) { encoder.begin(into: &output) }
    mutating func end(into output: inout [UInt8]) { encoder.end(into: &output) }
    func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
      encoder.continuation(of: size, read)
    }

    mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
      encoder.encode(record, into: &output)
      encoder.flush(into: &output)
      counter.count += 1
      if isWithinWrite, counter.count == number { act() }
    }

    /// Asked after each record is written.
    var heldCount: Int {
      if !isWithinWrite, counter.count == number - 1 {
        counter.count += 1
        act()
      }
      return 0
    }
  }

  /// Writes `v=0` to `v=5`, each as a record. Another program acts before the third one.
  private func write(
    _ format: LogFormat, _ time: Act, appends: Bool = false, rotation: LogRotation = LogRotation(),
    unwritten: Int = 0, act: @escaping () -> Void
  ) throws -> LogBuffer.Progress {
    let file = try LogFile(LogName(path.string, port: ""), appends: appends)
    let buffer = try LogBuffer(at: file.place, capacity: Log.capacity)
    for number in 0..<6 {
      Array("v=\(number)\n".utf8).withUnsafeBytes {
        #expect(
          buffer.append(
            LogRecord(moment: sampleMoment, content: .bytes(.fromDevice, $0, by: nil))))
      }
    }
    buffer.close(with: [])
    let encoder = Interrupted(
      format.encoder(marksDirection: false, sampleForm: .pairs),
      isWithinWrite: time == .withinWrite, act: act)
    LogWriter(file, encoder, rotation: rotation, from: buffer).run()
    #expect(buffer.unwrittenCount == unwritten)
    return buffer.progress()
  }

  private func old(_ number: Int) -> FilePath { FilePath("\(path).\(number)") }

  private func shorten(to size: Int) { #expect(truncate(path.string, off_t(size)) == 0) }

  private func contents(_ path: FilePath) -> [UInt8] { (try? path.contents()) ?? [] }

  /// The received text in a log, and how its reading ended.
  private func read(_ path: FilePath) throws -> (said: String, error: String?) {
    let reader = try LogReader(path)
    var said = ""
    do {
      while case .entry(let entry) = try reader.next() { said += text(entry.bytes) }
    } catch {
      return (said, "\(error)")
    }
    return (said, nil)
  }

  private let kept = "v=2\nv=3\nv=4\nv=5\n"

  // MARK: Shortened

  @Test(arguments: LogFormat.allCases.filter { $0 != .raw }, Act.allCases)
  func `A file that was emptied begins again with its header`(
    format: LogFormat, time: Act
  ) throws {
    let progress = try write(format, time) { shorten(to: 0) }
    #expect(progress.changes.shortened == path && progress.problem == nil)
    switch format {
    case .csv:
      let lines = text(contents(path)).split(separator: "\n")
      #expect(lines.first == "time,v" && lines.count == 5)
    default:
      let (said, error) = try read(path)
      #expect(error == nil)
      #expect(said.replacing("\r\n", with: "\n") == kept)
    }
  }

  @Test(arguments: Act.allCases)
  func `A line that was cut ends before the next record`(time: Act) throws {
    for format in [LogFormat.jsonl, .text] {
      var cut = 0
      _ = try write(format, time) {
        // In the middle of the second record.
        cut = contents(path).count - 5
        shorten(to: cut)
      }
      let lines = text(contents(path)).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.dropFirst(2).count == 5 && lines.last?.isEmpty == true)
      #expect(lines.dropFirst(2).dropLast().allSatisfy { $0.utf8.count > 30 })
      _ = unlink(path.string)
    }
  }

  @Test(arguments: Act.allCases)
  func `A table that was cut has its header again`(time: Act) throws {
    _ = try write(.csv, time) { shorten(to: 9) }
    #expect(text(contents(path)).hasPrefix("time,v\n17\ntime,v\n1795242660"))
  }

  @Test(arguments: Act.allCases)
  func `A packet that was cut is set aside with what is before it`(time: Act) throws {
    var size = 0
    let progress = try write(.pcapng, time) {
      size = contents(path).count - 8
      shorten(to: size)
    }
    #expect(progress.changes.shortened == path && progress.problem == nil)
    #expect(progress.changes.setAside == LogFile.SetAside(old: path, path: old(1), number: 1))
    #expect(contents(old(1)).count == size)
    #expect(try read(old(1)).said == "v=0\n")
    #expect(try read(old(1)).error != nil)
    let (said, error) = try read(path)
    #expect(said == kept && error == nil)
  }

  @Test(arguments: Act.allCases)
  func `Nothing is written behind a packet that was cut`(time: Act) throws {
    // The file cannot get the name of a folder.
    #expect(mkdir(old(1).string, 0o700) == 0)
    var size = 0
    let progress = try write(.pcapng, time, rotation: LogRotation(keep: 1), unwritten: 16) {
      size = contents(path).count - 8
      shorten(to: size)
    }
    guard case .incomplete = progress.problem else {
      Issue.record("\(progress)")
      return
    }
    #expect(contents(path).count == size && progress.changes.setAside == nil)
  }

  @Test func `A file that begins while a port is written has that port once`() throws {
    let file = try LogFile(LogName(path.string, port: ""), appends: false)
    let buffer = try LogBuffer(at: file.place, capacity: Log.capacity)
    let ports = ["A", "B"]
    for (number, name) in ports.enumerated() {
      buffer.appendAlways(
        LogRecord(
          moment: sampleMoment, port: number, content: .port(LogPort(name, at: "/dev/\(name)"))))
    }
    for (number, name) in ports.enumerated() {
      Array(name.utf8).withUnsafeBytes {
        _ = buffer.append(
          LogRecord(
            moment: sampleMoment, port: number, content: .bytes(.fromDevice, $0, by: nil)))
      }
    }
    buffer.close(with: [])
    let encoder = Interrupted(PcapngEncoder(namesPorts: true), isWithinWrite: true, at: 1) {
      shorten(to: 0)
    }
    LogWriter(file, encoder, rotation: LogRotation(), from: buffer).run()
    let reader = try LogReader(path)
    var found: [String] = []
    while case .entry(let entry) = try reader.next() {
      found.append("\(entry.port ?? "") \(text(entry.bytes))")
    }
    #expect(found == ["A A", "B B"])
  }

  @Test func `A capture is continued in either byte order, and where its end is not known`() {
    func continuation(_ bytes: [UInt8], isReadable: Bool = true) -> LogContinuation {
      PcapngEncoder().continuation(of: bytes.count) { isReadable ? Array(bytes[$0]) : nil }
    }
    let body: [UInt8] = [0, 0, 0, 1]
    for length: [UInt8] in [[16, 0, 0, 0], [0, 0, 0, 16]] {
      #expect(continuation(body + length + body + length) == .asItIs)
      #expect(continuation(body + body + body + length) == .inNextFile)
    }
    let other = Array("hello, world!!!\n".utf8)
    #expect(continuation(other) == .inNextFile)
    #expect(continuation(other, isReadable: false) == .asItIs)
    #expect(continuation([1]) == .inNextFile)
    // The length of a block without its last bytes may be read in the other byte order.
    var encoder = PcapngEncoder()
    var header: [UInt8] = []
    encoder.begin(into: &header)
    #expect(continuation(header) == .asItIs)
    for count in 1...20 { #expect(continuation(Array(header.dropLast(count))) == .inNextFile) }
  }

  @Test func `A capture that was cut between two packets goes on in its file`() throws {
    var header: [UInt8] = []
    var encoder = PcapngEncoder()
    encoder.begin(into: &header)
    _ = try write(.pcapng, .between) { shorten(to: header.count) }
    #expect(contents(old(1)) == [])
    #expect(contents(path).starts(with: header + header))
    #expect(try read(path).said == kept)
  }

  @Test func `Bytes of another program are no loss of length`() throws {
    let progress = try write(.jsonl, .between) {
      let other = try? FileDescriptor.open(path, .writeOnly, options: .append)
      _ = try? other?.writeAll(Array("{\"event\":\"other\"}\n".utf8))
      try? other?.close()
    }
    #expect(progress.changes == LogFile.Changes())
    #expect(try read(path).said == "v=0\nv=1\n" + kept)
  }

  @Test func `A file is looked at by its end, not by the bytes that were counted`() throws {
    let file = try LogFile(LogName(path.string, port: ""), appends: false)
    func write(_ text: String) throws -> Int? {
      try Array(text.utf8).withUnsafeBytes { try file.write($0, isRecord: true) }
    }
    #expect(try write("first") == 5)
    #expect(file.change == nil)
    shorten(to: 4)
    #expect(file.change == .shortened)
    #expect(try write("lost") == nil)
    #expect(contents(path) == Array("firs".utf8))
    file.acceptLength()
    #expect(file.change == nil && file.size == 4 && file.changes.shortened == path)
    #expect(try write("t") == 1)
    file.removeLast(1)
    #expect(file.change == nil && file.size == 4)
    #expect(unlink(path.string) == 0)
    #expect(file.change == .removed)
  }

  @Test func `A line that was open begins with its time in an emptied file`() throws {
    let file = try LogFile(LogName(path.string, port: ""), appends: false)
    var encoder: any LogEncoder = TextEncoder(marksDirection: false)
    var prompt: [UInt8] = []
    encode(.received("login: "), by: &encoder, into: &prompt)
    encoder.tick(at: MonotonicTime(nanoseconds: .max), into: &prompt)
    #expect(try prompt.withUnsafeBytes { try file.write($0, isRecord: true) } == prompt.count)
    let buffer = try LogBuffer(at: file.place, capacity: Log.capacity)
    Array("root\n".utf8).withUnsafeBytes {
      _ = buffer.append(
        LogRecord(moment: sampleMoment, content: .bytes(.fromDevice, $0, by: nil)))
    }
    buffer.close(with: [])
    let interrupted = Interrupted(encoder, isWithinWrite: true, at: 1) { shorten(to: 0) }
    LogWriter(file, interrupted, rotation: LogRotation(), from: buffer).run()
    let (said, error) = try read(path)
    #expect(said == "root\r\n" && error == nil)
  }

  // MARK: Continued

  @Test func `A log that ends within a record is continued behind it`() throws {
    _ = try folder.file("log", Array("{\"time\":\"20".utf8))
    _ = try write(.jsonl, .between, appends: true) {}
    let lines = text(contents(path)).split(separator: "\n")
    #expect(lines.first == "{\"time\":\"20" && lines.count == 7)
    _ = try folder.file("log", [0x0A, 0x0D, 0x0D, 0x0A, 28, 0])
    _ = try write(.pcapng, .between, appends: true) {}
    #expect(contents(old(1)).count == 6)
    #expect(try read(path).said == "v=0\nv=1\n" + kept)
    _ = try write(.pcapng, .between, appends: true) {}
    #expect(contents(old(2)) == [])
    #expect(try read(path).said == "v=0\nv=1\n" + kept + "v=0\nv=1\n" + kept)
  }

  // MARK: Removed and moved

  @Test(arguments: LogFormat.allCases.filter { $0 != .raw })
  func `A file that was removed begins again with the next record`(format: LogFormat) throws {
    let progress = try write(format, .between) { #expect(unlink(path.string) == 0) }
    #expect(progress.changes == LogFile.Changes() && progress.problem == nil)
    if format == .csv {
      #expect(text(contents(path)).split(separator: "\n").count == 5)
    } else {
      #expect(try read(path).said.replacing("\r\n", with: "\n") == kept)
    }
  }

  @Test(arguments: [LogRotation(), LogRotation(interval: .nanoseconds(1)), LogRotation(size: 1)])
  func `Nothing is written to a removed file whose folder is gone too`(
    rotation: LogRotation
  ) throws {
    let place = folder("inner")
    #expect(mkdir(place.string, 0o700) == 0)
    let log = place.appending("log")
    let file = try LogFile(LogName(log.string, port: ""), appends: false)
    let buffer = try LogBuffer(at: file.place, capacity: Log.capacity)
    for text in ["one", "two"] {
      Array(text.utf8).withUnsafeBytes {
        _ = buffer.append(
          LogRecord(moment: sampleMoment, content: .bytes(.fromDevice, $0, by: nil)))
      }
    }
    buffer.close(with: [])
    let encoder = Interrupted(JSONLinesEncoder(), isWithinWrite: false) {}
    #expect(unlink(log.string) == 0 && rmdir(place.string) == 0)
    LogWriter(file, encoder, rotation: rotation, from: buffer).run()
    #expect(buffer.unwrittenCount == 6)
    #expect(
      buffer.progress().problem == .removed(LogFileError(log, .system(.noSuchFileOrDirectory))))
  }
}
