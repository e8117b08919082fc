import EventLoop
import Logs
import Observing
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Sessions

/// Logs that several sessions write to.
@Suite(.timeLimit(.minutes(30))) struct SharedLogsTests {
  private let folder: TemporaryFolder
  private let loop: IOLoop

  init() throws {
    folder = try TemporaryFolder()
    loop = try IOLoop()
  }

  /// A session with a fake link, and its logs.
  private final class Member {
    let link: FakeLink
    let session: Session
    let hub: Hub
    let log: SessionLogger
    var news: [SessionNews] = []
    var changeCount = 0
    private var changes: ObservationToken<Change<FilePath?>>?

    init(_ name: String, logging configuration: LogConfiguration, on loop: IOLoop) throws {
      let link = FakeLink(to: .tty(FilePath("/dev/\(name)")))
      self.link = link
      session = Session(settings: LineSettings()) { _ in link }
      session.waitsForLostDevice = true
      hub = Hub(of: session)
      var report: (SessionNews) -> Void = { _ in }
      log = SessionLogger(of: session, hub, on: loop) { report($0) }
      log.configuration = configuration
      log.portName = name
      report = { [unowned self] in news.append($0) }
      changes = log.$path.observe { [unowned self] _ in changeCount += 1 }
      try session.open(link.endpoint)
    }

    func receive(_ text: String) {
      link.incoming = [FakeLink.Input(Array(text.utf8))]
      session.handle(.readable)
    }

    func send(_ text: String) throws { try session.write(Array(text.utf8).span.bytes) }
  }

  private func configuration(_ files: String..., logsSent: Bool = false) -> LogConfiguration {
    var options = Log.Options()
    options.logsSent = logsSent
    return LogConfiguration(files: files.map { folder.path.appending($0).string }, options: options)
  }

  /// Sessions that have joined their shared logs, which have started.
  private func members(
    _ names: String..., logging configuration: LogConfiguration
  ) throws -> [Member] {
    let members = try names.map { try Member($0, logging: configuration, on: loop) }
    let shared = SharedLogs(among: members.map(\.log.configuration), on: loop)
    for member in members {
      member.log.shared = shared
      try member.log.start(at: member.link.endpoint)
    }
    try shared?.begin()
    return members
  }

  private func finish(_ members: [Member]) {
    for member in members { member.log.close() }
    for member in members {
      member.log.finish(by: .now + .seconds(60))
      #expect(member.log.missingCount == 0)
    }
  }

  private func entries(_ file: String) throws -> (entries: [LogEntry], ports: [String]) {
    let reader = try LogReader(folder.path.appending(file))
    var entries: [LogEntry] = []
    while case .entry(let entry) = try reader.next() { entries.append(entry) }
    return (entries, reader.ports)
  }

  /// The lines of a JSON log without their times.
  private func lines(_ file: String) throws -> [String] {
    String(decoding: try folder.path.appending(file).contents(), as: UTF8.self)
      .split(separator: "\n").map {
        String($0.dropFirst(#"{"time":"2026-11-21T06:31:00.123456Z","#.count))
      }
  }

  private func opened(_ name: String) -> String {
    #""port":"\#(name)","event":"opened","path":"/dev/\#(name)","settings":"115200 8N1"}"#
  }

  private func received(_ text: String) -> [UInt8] { Array(text.utf8) }

  // MARK: What is in the files

  @Test(arguments: ["all.jsonl", "all.pcapng"])
  func `Every byte of every port is there, in the order of reading`(file: String) throws {
    let members = try members("alpha", "beta", "gamma", logging: configuration(file))
    var random = SplitMix64(seed: 1)
    var expected: [(port: String, text: String)] = []
    for number in 0..<1_000 {
      let index = Int.random(in: 0..<3, using: &random)
      expected.append((["alpha", "beta", "gamma"][index], "\(number)"))
      members[index].receive("\(number)")
    }
    finish(members)
    let entries = try entries(file).entries
    #expect(entries.map(\.port) == expected.map(\.port))
    #expect(entries.map(\.bytes) == expected.map { received($0.text) })
    let times = entries.map(\.time)
    #expect(times == times.sorted())
  }

  @Test func `What is sent is there if it is asked for`() throws {
    let members = try members("alpha", "beta", logging: configuration("all.jsonl", logsSent: true))
    try members[1].send("typed")
    members[0].receive("x")
    finish(members)
    let entries = try entries("all.jsonl").entries
    #expect(entries.map(\.port) == ["beta", "alpha"])
    #expect(entries.map(\.direction) == [.toDevice, .fromDevice])
  }

  @Test func `A mark names the port that it was made at`() throws {
    let members = try members("alpha", "beta", logging: configuration("all.jsonl"))
    let mark = Mark(number: 1, moment: .now, text: nil)
    #expect(members[1].log.append(mark).isEmpty)
    finish(members)
    #expect(
      try lines("all.jsonl").last == #""port":"beta","event":"mark","path":"/dev/beta","number":1}"#
    )
  }

  @Test func `Each port's events name it, and the others go on`() throws {
    let members = try members("alpha", "beta", logging: configuration("all.jsonl"))
    members[0].link.tell(.lost(SerialError(.lost, in: "read", at: members[0].link.endpoint)))
    members[1].receive("x")
    members[0].session.deviceDidReturn(at: members[0].link.endpoint)
    finish(members)
    #expect(
      try lines("all.jsonl") == [
        opened("alpha"), opened("beta"), #""port":"alpha","event":"lost","path":"/dev/alpha"}"#,
        #""port":"beta","direction":"from-device","bytes":"eA==","text":"x"}"#,
        #""port":"alpha","event":"back","path":"/dev/alpha","settings":"115200 8N1"}"#,
      ])
  }

  @Test func `Text has a line for each, and lines are whole`() throws {
    let members = try members("alpha", "b", logging: configuration("all.txt"))
    members[0].receive("first ")
    members[1].receive("other\r\n")
    members[0].receive("line\r\n")
    finish(members)
    let text = String(decoding: try folder.path.appending("all.txt").contents(), as: UTF8.self)
    let lines = text.split(separator: "\n").map {
      String($0.dropFirst("[2026-11-21T07:31:00.123456+01:00] ".count))
    }
    #expect(lines.count == 4)
    #expect(
      Set(lines) == [
        "alpha | [opened /dev/alpha at 115200 8N1]", "b     | [opened /dev/b at 115200 8N1]",
        "b     | other", "alpha | first line",
      ])
  }

  @Test func `What a client has sent names it, and who comes names the port`() throws {
    let members = try members(
      "alpha", "beta", logging: configuration("all.jsonl", logsSent: true))
    let max = Author(.client, "max on pts/3")
    members[1].log.append(
      Roster.Event.joined(Roster.Member(id: 1, name: MemberName(given: max.name), answers: true)))
    members[1].session.owner = max
    try members[1].session.write(Array("x".utf8).span.bytes, by: max)
    finish(members)
    #expect(
      try lines("all.jsonl").suffix(2) == [
        #""port":"beta","event":"joined","path":"/dev/beta","name":"max on pts/3"}"#,
        #""port":"beta","direction":"to-device","by":"max on pts/3","bytes":"eA==","text":"x"}"#,
      ])
  }

  // MARK: Joining

  @Test(arguments: ["all.jsonl", "all.pcapng", "all.txt"])
  func `A session that comes later joins`(file: String) throws {
    let configuration = configuration(file)
    let members = try members("alpha", "beta", logging: configuration)
    members[0].receive("before\n")
    let late = try Member("gamma", logging: configuration, on: loop)
    late.log.shared = members[0].log.shared
    try late.log.start(at: late.link.endpoint)
    late.receive("late\n")
    members[1].receive("after\n")
    #expect(late.log.sharingCount == 3)
    finish(members + [late])
    guard file != "all.txt" else {
      let text = String(decoding: try folder.path.appending(file).contents(), as: UTF8.self)
      #expect(text.contains("gamma | [opened /dev/gamma at 115200 8N1]\n"))
      #expect(text.contains("gamma | late\n"))
      return
    }
    let (entries, ports) = try entries(file)
    #expect(ports == ["alpha", "beta", "gamma"])
    #expect(entries.map(\.port) == ["alpha", "gamma", "beta"])
  }

  @Test func `Two ports of a name have two names in the log`() throws {
    let members = try members("alpha", "alpha", logging: configuration("all.jsonl"))
    members[1].receive("x")
    finish(members)
    let (entries, ports) = try entries("all.jsonl")
    #expect(ports == ["alpha", "alpha#2"])
    #expect(entries.map(\.port) == ["alpha#2"])
  }

  @Test func `The file is made when all have joined, so that a failed attempt leaves none`() throws
  {
    let configuration = configuration("all.jsonl")
    let members = try ["alpha", "beta"].map { try Member($0, logging: configuration, on: loop) }
    let shared = try #require(SharedLogs(among: [configuration, configuration], on: loop))
    let path = folder.path.appending("all.jsonl")
    for member in members {
      member.log.shared = shared
      try member.log.start(at: member.link.endpoint)
      #expect((try? path.stat()) == nil)
      #expect(member.log.path == nil)
    }
    try shared.begin()
    #expect(members.map(\.log.path) == [path, path])
    finish(members)
    #expect(try lines("all.jsonl") == [opened("alpha"), opened("beta")])
  }

  @Test func `If nobody has joined at the beginning, the first who joins begins the file`() throws {
    let configuration = configuration("all.jsonl")
    let shared = try #require(SharedLogs(among: [configuration, configuration], on: loop))
    try shared.begin()
    let member = try Member("alpha", logging: configuration, on: loop)
    member.log.shared = shared
    try member.log.start(at: member.link.endpoint)
    member.receive("x")
    finish([member])
    #expect(try entries("all.jsonl").entries.map(\.port) == ["alpha"])
  }

  @Test func `A file that exists is an error, and is left as it is`() throws {
    let configuration = configuration("all.jsonl")
    let path = folder.path.appending("all.jsonl")
    let file = try FileDescriptor.open(
      path, .writeOnly, options: .create, permissions: .ownerReadWrite)
    try file.close()
    #expect(throws: LogError.self) {
      try members("alpha", "beta", logging: configuration)
    }
    #expect(try path.contents().isEmpty)
  }

  // MARK: On and off

  @Test func `Any member switches the shared logs off and on for all, with their own`() throws {
    let members = try ["alpha", "beta"].map {
      try Member($0, logging: configuration("all.jsonl", "\($0).log"), on: loop)
    }
    let shared = try #require(SharedLogs(among: members.map(\.log.configuration), on: loop))
    for member in members {
      member.log.shared = shared
      try member.log.start(at: member.link.endpoint)
    }
    try shared.begin()
    let changes = members.map(\.changeCount)
    for member in members { member.receive("on ") }
    members[1].log.switchOff()
    #expect(members.flatMap(\.log.paths) == [])
    for member in members { member.receive("off ") }
    try members[0].log.switchOn()
    for member in members { member.receive("on again") }
    #expect(
      members.map(\.log.paths)
        == ["alpha", "beta"].map {
          [folder.path.appending("all.jsonl"), folder.path.appending("\($0).log")]
        })
    #expect(zip(members, changes).allSatisfy { $0.changeCount == $1 + 2 })
    finish(members)
    for (name, member) in zip(["alpha", "beta"], members) {
      #expect(try folder.path.appending("\(name).log").contents() == received("on on again"))
      let own = try entries("all.jsonl").entries.filter { $0.port == name }
      #expect(own.map(\.bytes) == [received("on "), received("on again")])
      #expect(try lines("all.jsonl").count { $0 == opened(name) } == 2)
      #expect(member.news.isEmpty)
    }
  }

  @Test func `A session that shares nothing switches its own log`() throws {
    let members = try ["alpha", "beta"].map {
      try Member($0, logging: configuration("\($0).log"), on: loop)
    }
    for member in members { try member.log.start(at: member.link.endpoint) }
    members[0].log.switchOff()
    #expect(members[0].log.sharingCount == nil)
    #expect(members.map(\.log.paths.count) == [0, 1])
    finish(members)
  }

  // MARK: Which logs are shared

  @Test func `Logs that several name are shared, unless the name has a place for the port`() {
    let shared = LogConfiguration.shared(
      among: [
        LogConfiguration(files: ["all.jsonl", "log-%t.txt", "one.txt", "raw", "twice", "twice"]),
        LogConfiguration(files: ["log-%t.txt", "all.jsonl", "raw", "100%%t.txt"]),
        LogConfiguration(files: ["100%%t.txt"]),
      ])
    #expect(shared.map(\.name) == ["all.jsonl", "raw", "100%%t.txt"])
    #expect(shared.map(\.options.namesPorts) == [true, false, true])
    #expect(shared.map(\.options.format) == [.jsonl, .raw, .text])
  }

  @Test func `One session shares nothing`() throws {
    #expect(SharedLogs(among: [LogConfiguration(files: ["all.jsonl"])], on: loop) == nil)
  }
}
