import EventLoop
import Logs
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import Telnet
import TestSupport
import Testing
import Time

@testable import Sessions

/// Logs contain the members of a session, the holder of the pen, and the client that
/// sent each byte.
@Suite(.timeLimit(.minutes(30))) struct LoggedPeopleTests {
  private let folder: TemporaryFolder
  private let loop: IOLoop
  private let controller: SessionController

  /// A client that never acts on its own.
  private final class Client: Participant {
    func resumeWriting() {}
    func revoke() {}
    func rosterDidChange(_ event: Roster.Event) {}
    func end(because reason: String) {}
  }

  init() throws {
    folder = try TemporaryFolder()
    loop = try IOLoop()
    let provider = FakeProvider()
    var options = Log.Options()
    options.logsSent = true
    controller = SessionController(
      SessionConfiguration(
        target: .endpoint(Endpoint(provider.kind, "fake:1")), settings: LineSettings(),
        linkOptions: LinkOptions(), onOpen: nil, reconnects: true, waitsForAbsentDevice: false,
        pacing: Pacing(),
        log: LogConfiguration(
          files: [folder.path.appending("log.jsonl").string], options: options), isQuiet: true),
      among: DeviceCatalog(), on: loop, from: LinkProviders([provider]), writeCapacity: 4_096)
    controller.session.owner = .keyboard
    controller.sharing.begin(.one, home: { MemberName(given: "ana on pts/1") }, answers: true)
  }

  private func open() throws { _ = try controller.device.bind(mayAsk: false) }

  private func join(_ name: String) -> Roster.ID {
    controller.sharing.join(Client()) {
      Roster.Member(id: $0, name: MemberName(given: name), answers: true)
    }
  }

  private func send(_ text: String, by author: Author) throws {
    try controller.session.write(Array(text.utf8).span.bytes, by: author)
  }

  /// The lines of the log, without their times.
  private func lines(_ file: String = "log.jsonl") throws -> [String] {
    controller.log.finish(by: .now + .seconds(60))
    return String(decoding: try folder.path.appending(file).contents(), as: UTF8.self)
      .split(separator: "\n").map {
        String($0.dropFirst(#"{"time":"2026-11-21T06:31:00.123456Z","#.count))
      }
  }

  private let opened = #""event":"opened","path":"fake:1","settings":"115200 8N1"}"#

  @Test func `A session that nobody joins is logged as before`() throws {
    try open()
    try send("x", by: .keyboard)
    #expect(
      try lines() == [opened, #""direction":"to-device","bytes":"eA==","text":"x"}"#])
  }

  @Test func `Who comes, gets the pen, sends and leaves is logged`() throws {
    try open()
    let sharing = controller.sharing
    let max = join("max on pts/3")
    sharing.give(to: max)
    #expect(Array("ls".utf8).withUnsafeBytes { sharing.write($0, by: max) } == .queued(2))
    sharing.leave(max)
    try send("x", by: .keyboard)
    #expect(
      try lines() == [
        opened, #""event":"joined","path":"fake:1","name":"max on pts/3"}"#,
        #""event":"pen","path":"fake:1","from":"ana on pts/1","to":"max on pts/3","how":"given"}"#,
        #""direction":"to-device","by":"max on pts/3","bytes":"bHM=","text":"ls"}"#,
        #""event":"pen","path":"fake:1","from":"max on pts/3","to":"ana on pts/1","how":"inherited"}"#,
        #""event":"left","path":"fake:1","name":"max on pts/3"}"#,
        #""direction":"to-device","bytes":"eA==","text":"x"}"#,
      ])
  }

  @Test func `Who asks for the pen is not logged, who takes it is`() throws {
    try open()
    let sharing = controller.sharing
    let max = join("max on pts/3")
    sharing.ask(max)
    sharing.keep()
    sharing.give(to: max)
    sharing.takePen()
    #expect(
      try lines().dropFirst(3) == [
        #""event":"pen","path":"fake:1","from":"max on pts/3","to":"ana on pts/1","how":"forced"}"#
      ])
  }

  @Test func `A client that says who it is has another name from then on`() throws {
    try open()
    let sharing = controller.sharing
    let client = join("127.0.0.1:5123")
    sharing.update(client) { $0.answers = false }
    sharing.update(client) { $0.memberName = MemberName(given: "max (127.0.0.1:5123)") }
    sharing.give(to: client)
    _ = Array("x".utf8).withUnsafeBytes { sharing.write($0, by: client) }
    let lines = try lines()
    #expect(
      lines[2]
        == #""event":"renamed","path":"fake:1","old":"127.0.0.1:5123","new":"max (127.0.0.1:5123)"}"#
    )
    #expect(
      lines[4]
        == #""direction":"to-device","by":"max (127.0.0.1:5123)","bytes":"eA==","text":"x"}"#)
    #expect(lines.count == 5)
  }

  @Test func `A log that begins later says who is there, and who has the pen`() throws {
    let sharing = controller.sharing
    let max = join("max on pts/3")
    _ = join("eva on pts/4")
    sharing.give(to: max)
    try open()
    #expect(
      try lines() == [
        opened, #""event":"joined","path":"fake:1","name":"max on pts/3"}"#,
        #""event":"joined","path":"fake:1","name":"eva on pts/4"}"#,
        #""event":"pen","path":"fake:1","to":"max on pts/3","how":"held"}"#,
      ])
  }

  @Test func `A log that is switched on again says it again`() throws {
    try open()
    _ = join("max on pts/3")
    controller.log.switchOff()
    try controller.log.switchOn()
    #expect(
      try lines().suffix(3) == [
        opened, #""event":"joined","path":"fake:1","name":"max on pts/3"}"#,
        #""event":"pen","path":"fake:1","to":"ana on pts/1","how":"held"}"#,
      ])
  }

  @Test func `Where everyone writes, or nobody, there is no pen to log`() {
    for rule in [Roster.Rule.all, .none] {
      var roster = Roster(rule)
      _ = roster.join(Roster.Member(id: 1, name: MemberName(given: "max"), answers: true))
      #expect(
        LogEvent.present(in: roster, at: "/dev/ttyUSB0")
          == [LogEvent(.joined, at: "/dev/ttyUSB0", .name("max"))])
    }
  }
}
