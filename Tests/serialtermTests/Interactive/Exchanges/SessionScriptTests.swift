import Glibc
import SerialCore
import SystemPackage
import Terminal
import TestSupport
import Testing

@testable import serialterm

/// Scripts in an interactive session: the one of `--script`, and those that the user runs.
@Suite(.timeLimit(.minutes(30))) struct SessionScriptTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A session whose script is still running.
  private func begin(
    _ script: String, _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    options.script = try Script(ofUser: InterfaceBench.script(script, in: folder))
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func shows(_ bench: InterfaceBench, _ text: String) -> Bool {
    bench.terminal.lines.contains { $0.contains(text) }
  }

  private func text(_ bench: InterfaceBench) -> String {
    String(decoding: bench.sent, as: UTF8.self)
  }

  // MARK: At the start

  @Test func `It runs first, its steps are shown, and then the keyboard is the user's`() throws {
    let bench = try begin("expect /login: /\nsend \"root\\r\"\nprint \"hello\"")
    #expect(bench.state.exchange == Author(.script, "login.txt"))
    #expect(bench.state.progress == .line(1))
    try bench.receive("board login: ")
    #expect(text(bench) == "root\r")
    try bench.pass(.milliseconds(10))
    #expect(bench.state.exchange == nil)
    let lines = bench.terminal.lines
    #expect(
      lines == [
        "serialterm: fake:1 at 115200 8N1. ctrl-t q quits, ctrl-t ? for help.",
        "serialterm: running login.txt; ctrl-c stops.",
        "serialterm: login.txt:1: expect /login: /",
        "board login:",
        "serialterm: login.txt:2: send",
        "serialterm: login.txt:3: print",
        "serialterm: hello",
        "serialterm: login.txt has ended after 0.0 s.",
      ])
    try bench.type("k")
    #expect(text(bench) == "root\rk")
  }

  @Test func `What fails leaves the user in the session, with the reason`() throws {
    let bench = try begin("expect /never/ within 2s\nsend \"x\"")
    try bench.pass(.seconds(2))
    #expect(shows(bench, "login.txt:1: timed out after 2 s waiting for /never/."))
    #expect(bench.app.outcome == nil)
    try bench.type("k")
    #expect(text(bench) == "k")
  }

  @Test func `What is typed meanwhile is refused and counted, and ctrl-c stops it`() throws {
    let bench = try begin("expect /never/")
    try bench.type("k")
    #expect(shows(bench, "not sent: login.txt is running."))
    #expect(bench.interface.keyboard.refusals.total == 1)
    try bench.type("\u{3}")
    #expect(shows(bench, "login.txt was stopped at line 1: expect /never/."))
    try bench.type("k")
    #expect(text(bench) == "k")
  }

  @Test func `What a stopped script had queued is discarded and counted`() throws {
    let bench = try begin("send \"0123456789\"") { $0.appetite = 4 }
    try bench.type("\u{3}")
    #expect(shows(bench, "login.txt was stopped at line 1: send."))
    #expect(shows(bench, "6 bytes were not sent."))
    try bench.accept()
    #expect(text(bench) == "0123")
  }

  @Test func `The port is not released, and the palette names the script`() throws {
    let bench = try begin("expect /never/")
    try bench.command("r")
    #expect(shows(bench, "Not available: login.txt is running."))
    #expect(bench.session.state.isOpen)
    bench.interface.perform(.stop, from: .palette)
    try bench.turn()
    #expect(bench.state.exchange == nil)
  }

  @Test func `Quitting asks first`() throws {
    let bench = try begin("expect /never/")
    try bench.command("q")
    let written = String(decoding: bench.terminal.written, as: UTF8.self)
    #expect(written.contains("leave before login.txt has ended"))
    try bench.command("q")
    #expect(shows(bench, "login.txt was cut off at line 1: expect /never/."))
    for _ in 0..<4 { try bench.pass(.milliseconds(100)) }
    guard case .success(.done)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
  }

  @Test func `A question whether to quit goes away when the script ends`() throws {
    let bench = try begin("expect /OK/")
    try bench.command("q")
    try bench.receive("OK")
    #expect(!bench.interface.dialogs.isOpen)
    #expect(bench.app.outcome == nil)
  }

  @Test func `A lost device cuts it off, and its return does not run it again`() throws {
    let bench = try begin("send \"a\"\nexpect /never/")
    try bench.pass(.milliseconds(10))
    try bench.unplug()
    #expect(shows(bench, "login.txt was cut off at line 2: expect /never/."))
    try bench.plug()
    #expect(bench.session.state.isOpen)
    try bench.pass(.milliseconds(10))
    #expect(text(bench) == "a")
    #expect(bench.state.exchange == nil)
  }

  @Test func `It waits for a port that opens late`() throws {
    let bench = try begin("send \"a\"") { $0.opensLate = true }
    #expect(bench.state.exchange == nil)
    bench.link?.finishOpening()
    try bench.turn()
    #expect(text(bench) == "a")
  }

  @Test func `A signal ends it, and the reason is said`() throws {
    let bench = try begin("expect /never/")
    bench.app.handle(signal: SIGTERM)
    bench.end()
    #expect(shows(bench, "login.txt was cut off at line 1: expect /never/."))
    #expect(!bench.terminal.isRaw)
  }

  @Test func `With several ports it runs on the first, wherever the focus goes`() throws {
    let bench = try begin("expect /OK/\nsend \"a\"") { $0.portCount = 2 }
    try bench.command("N")
    #expect(bench.interface.focus.ports[0].model.state.exchange != nil)
    try bench.type("k")
    #expect(bench.links[1].sent == Array("k".utf8))
    try bench.command("N")
    try bench.receive("OK")
    #expect(bench.links[0].sent == Array("a".utf8))
  }

  // MARK: Pipes

  private func pipe(_ options: inout InterfaceBench.Options) {
    options.screen = .none
    options.hasKeyboard = false
  }

  @Test func `A pipe is sent after the script`() throws {
    let bench = try begin("expect /OK/\nsend \"a\"", pipe)
    try bench.type("piped")
    #expect(text(bench).isEmpty)
    try bench.receive("OK")
    try bench.pass(.milliseconds(10))
    try bench.turn()
    #expect(text(bench) == "apiped")
    bench.end()
    #expect(String(decoding: bench.terminal.written, as: UTF8.self) == "OK")
    #expect(bench.terminal.messageText.isEmpty)
  }

  @Test func `A failed script ends a pipe, of which nothing is sent`() throws {
    let bench = try begin("fail \"no\"", pipe)
    try bench.type("piped")
    guard case .failure(let failure)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    #expect(failure == Failure(.otherFailure, "login.txt:1: no"))
    #expect(text(bench).isEmpty)
  }

  @Test func `A lost device ends a pipe whose script it cuts off`() throws {
    let bench = try begin("expect /never/", pipe)
    try bench.unplug()
    guard case .failure(let failure)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    #expect(failure.status == .deviceLost)
  }

  // MARK: From the palette

  @Test func `The user runs a script, twice`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    let path = try bench.script("send \"a\"", in: folder)
    for _ in 0..<2 {
      try bench.interface.run(script: path)
      try bench.turn()
      try bench.pass(.milliseconds(10))
    }
    #expect(text(bench) == "aa")
    #expect(bench.state.exchange == nil)
  }

  @Test func `A script with a mistake is not run`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    let path = try bench.script("send \"a\"\nsend", in: folder)
    #expect(throws: Failure.self) { try bench.interface.run(script: path) }
    #expect(text(bench).isEmpty)
    #expect(bench.state.exchange == nil)
  }
}
