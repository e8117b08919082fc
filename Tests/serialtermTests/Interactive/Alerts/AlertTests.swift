import Glibc
import Patterns
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

/// Alerts in a session: bells and commands.
@Suite(.timeLimit(.minutes(30))) struct AlertTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func begin(
    _ rules: [AlertRule], _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    options.alerts = rules
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func match(_ regex: String, _ action: AlertRule.Action) throws -> AlertRule {
    AlertRule(trigger: .match(try Pattern(parsing: regex)), action: action)
  }

  private func bells(_ bench: InterfaceBench) -> Int {
    bench.terminal.written.count { $0 == 0x07 }
  }

  /// The output of the commands: one line for each run.
  private var results: String {
    guard let bytes = try? folder("results").contents() else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A command that writes a line with its variables.
  private var writing: String {
    let variables = ["EVENT", "DEVICE", "MATCH", "LINE", "COUNT"].map { "$SERIALTERM_\($0)" }
    return "printf '%s\\n' \"\(variables.joined(separator: "|"))\" >> '\(folder("results"))'"
  }

  @Test func `The bell rings once a second at most`() throws {
    let bench = try begin([match("E", .bell)])
    try bench.receive("ok\r\n")
    #expect(bells(bench) == 0)
    for _ in 0..<50 { try bench.receive("E\r\n") }
    #expect(bells(bench) == 1)
    try bench.pass(.milliseconds(900))
    #expect(bells(bench) == 1)
    try bench.pass(.milliseconds(100))
    #expect(bells(bench) == 2)
    try bench.pass(.seconds(5))
    #expect(bells(bench) == 2)
  }

  @Test func `A prompt without a line end is found after a pause`() throws {
    let bench = try begin([match("login: $", .bell)])
    try bench.receive("login:")
    try bench.receive(" ")
    #expect(bells(bench) == 0)
    try bench.pass(AlertWatch.pause)
    #expect(bells(bench) == 1)
  }

  @Test func `A command has the text in its environment, filtered`() throws {
    let bench = try begin([match("ERROR.*", .command(writing))])
    try bench.receive("x ERROR $(touch /tmp/no) `no` \u{202E}; no\r\n")
    #expect(try bench.wait { results.hasSuffix("\n") })
    let error = "ERROR $(touch /tmp/no) `no` \u{FFFD}; no"
    #expect(results == "match|fake:1|\(error)|x \(error)|1\n")
  }

  @Test func `One command runs at a time, and what happens meanwhile is counted`() throws {
    let gate = folder("gate")
    let bench = try begin([
      match("E", .command("\(writing); until [ -e '\(gate)' ]; do sleep 0.01; done"))
    ])
    for number in 1...1_000 { try bench.receive("E \(number)\r\n") }
    #expect(try bench.wait { results.hasSuffix("\n") })
    try bench.pass(.seconds(10))
    #expect(results == "match|fake:1|E|E 1|1\n")
    _ = try FileDescriptor.open(gate, .writeOnly, options: .create, permissions: .ownerReadWrite)
    #expect(try bench.wait { results.hasSuffix("E 1000|999\n") })
    #expect(results.split(separator: "\n").count == 2)
  }

  @Test func `A device that is gone is an event, and one that is released is not`() throws {
    let bench = try begin([
      AlertRule(trigger: .disconnect, action: .command(writing)),
      AlertRule(trigger: .disconnect, action: .bell),
    ])
    try bench.command("r")
    try bench.command("r")
    try bench.plug()
    #expect(bench.session.state.isOpen)
    #expect(bells(bench) == 0)
    try bench.unplug()
    #expect(bells(bench) == 1)
    #expect(try bench.wait { results == "disconnect|fake:1|||1\n" })
  }

  @Test func `The end of the session by a loss runs the command too`() throws {
    let bench = try begin([AlertRule(trigger: .disconnect, action: .command(writing))]) {
      $0.reconnects = false
    }
    try bench.unplug()
    bench.end()
    #expect(try bench.wait { results == "disconnect|fake:1|||1\n" })
  }

  @Test func `What has happened since the last start is passed on at the end`() throws {
    let bench = try begin([match("E", .command(writing))])
    try bench.receive("E 1\r\n")
    #expect(try bench.wait { results.hasSuffix("|1\n") && bench.app.alerts?.isRunning == false })
    for number in 2...4 { try bench.receive("E \(number)\r\n") }
    bench.end()
    #expect(try bench.wait { results.hasSuffix("E 4|3\n") })
  }

  @Test func `A command that fails is said once, with its first error, and draws nothing`() throws {
    let bench = try begin([
      match("E", .command("echo drawn; printf 'a\\033[2Jb\\nsecond\\n' >&2; exit 3"))
    ])
    func said() -> [String] { bench.terminal.lines.filter { $0.contains("--on-match") } }
    for _ in 0..<3 {
      try bench.receive("E\r\n")
      #expect(try bench.wait { !said().isEmpty })
      try bench.pass(.seconds(1))
      _ = try bench.wait { bench.app.ports.isEmpty == false }
    }
    #expect(said() == ["serialterm: --on-match E: the command ended with status 3: a b"])
    #expect(!bench.terminal.lines.contains { $0.contains("drawn") })
  }

  @Test func `With several ports the device is named`() throws {
    let bench = try begin([match("E", .command(writing))]) { $0.portCount = 2 }
    try bench.command("N")
    try bench.receive("E\r\n")
    #expect(try bench.wait { results == "match|fake:2|E|E|1\n" })
  }
}
