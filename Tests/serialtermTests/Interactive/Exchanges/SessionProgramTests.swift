import Glibc
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// Shell commands on the port of an interactive session.
@Suite(.timeLimit(.minutes(30))) struct SessionProgramTests {
  private func begin(
    _ command: String, _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    try bench.interface.run(program: command)
    try bench.turn()
    return bench
  }

  /// The shown text in one line, because messages are wrapped.
  private func text(_ bench: InterfaceBench) -> String {
    bench.terminal.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  private func shows(_ bench: InterfaceBench, _ what: String) throws -> Bool {
    try bench.wait { text(bench).contains(what) }
  }

  private func sent(_ bench: InterfaceBench) -> String {
    String(decoding: bench.sent, as: UTF8.self)
  }

  @Test func `Its input and output are the port, which the view does not show`() throws {
    let bench = try begin("read answer; printf \"<$answer>\"")
    #expect(bench.state.exchange == Author(.program, "read"))
    try bench.receive("hello\n")
    #expect(try shows(bench, "read ended with status 0: 6 bytes received, 7 sent."))
    #expect(sent(bench) == "<hello>")
    #expect(!bench.terminal.lines.contains("hello"))
    #expect(bench.state.exchange == nil)
    try bench.type("k")
    #expect(sent(bench) == "<hello>k")
  }

  @Test func `What it prints on its standard error is shown, its status is said`() throws {
    let bench = try begin("printf 'a\\033[2Jb\\n' >&2; exit 3")
    #expect(try shows(bench, "printf ended with status 3: 0 bytes received, 0 sent."))
    #expect(text(bench).contains("serialterm: printf: a b"))
  }

  @Test func `What it did not read is counted, and shown`() throws {
    let bench = try begin("head -c 3 > /dev/null; sleep 0.1")
    try bench.receive("abcde")
    try bench.receive("fghi")
    #expect(
      try shows(
        bench,
        "head ended with status 0: 9 bytes received, 0 sent. 6 bytes that it did not read follow."))
    bench.terminal.look()
    #expect(bench.terminal.lines.last == "defghi")
  }

  @Test func `A command that does not exist is an answer of the shell`() throws {
    let bench = try begin("/none/such")
    #expect(try shows(bench, "such ended with status 127"))
    #expect(bench.state.exchange == nil)
  }

  @Test func `Keys are refused meanwhile, and ctrl-c interrupts it`() throws {
    let bench = try begin("exec sleep 100")
    try bench.type("k")
    #expect(try shows(bench, "not sent: exec is running."))
    try bench.type("\u{3}")
    #expect(try shows(bench, "exec was stopped with ctrl-c: 0 bytes received, 0 sent."))
    try bench.type("k")
    #expect(sent(bench) == "k")
  }

  @Test func `ctrl-c interrupts it where this program was started with the signal ignored`()
    throws
  {
    let before = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, before) }
    let bench = try begin("exec sleep 100")
    try bench.type("\u{3}")
    #expect(try shows(bench, "exec was stopped with ctrl-c: 0 bytes received, 0 sent."))
  }

  @Test func `One that ignores the interrupt is killed by the second, and its children with it`()
    throws
  {
    let bench = try begin("trap '' INT; echo ready >&2; sleep 100; sleep 100")
    #expect(try shows(bench, "trap: ready"))
    try bench.type("\u{3}")
    try bench.pass(.seconds(1))
    #expect(text(bench).contains("trap still runs; ctrl-c again kills it."))
    #expect(bench.state.exchange != nil)
    try bench.type("\u{3}")
    #expect(text(bench).contains("trap was killed: 0 bytes received, 0 sent."))
    #expect(bench.state.exchange == nil)
    try bench.type("k")
    #expect(sent(bench) == "k")
  }

  @Test func `The user does not wait for a device that takes nothing of a stopped command`() throws
  {
    let bench = try begin("printf 0123456789; echo done >&2; exec sleep 100") { $0.appetite = 4 }
    #expect(try shows(bench, "printf: done"))
    #expect(try bench.wait { bench.session.queuedByteCount == 6 })
    try bench.type("\u{3}")
    #expect(try bench.wait { bench.interface.focus.port.controller.sending.exchange != nil })
    #expect(
      try bench.wait {
        // Not faster than real time, in which the command ends.
        bench.clock.advance(by: .milliseconds(10))
        return text(bench).contains("printf was stopped with ctrl-c: 0 bytes received, 4 sent.")
      })
    #expect(try shows(bench, "6 bytes were not sent."))
    try bench.accept()
    #expect(sent(bench) == "0123")
  }

  @Test func `The command waits for the device, and nothing is lost`() throws {
    let bench = try begin("seq 1 40000") { $0.appetite = 1_000 }
    #expect(try bench.wait { bench.session.queuedByteCount > 60_000 })
    #expect(bench.session.queuedByteCount <= 65_536)
    #expect(
      try bench.wait {
        _ = try? bench.accept()
        return bench.state.exchange == nil
      })
    #expect(sent(bench) == (1...40_000).map { "\($0)\n" }.joined())
  }

  @Test func `A device that can wait does, while the command does not read`() throws {
    // A shell that is still starting the command may swallow the interrupt.
    let bench = try begin("echo ready >&2; exec sleep 100") { $0.settings.flowControl = .hard }
    #expect(try shows(bench, "echo: ready"))
    let piece = String(repeating: "x", count: 4_096)
    var count = 0
    while bench.session.interest.contains(.reading), count < 100 {
      try bench.receive(piece)
      count += 1
    }
    #expect(count > 16 && count < 100)
    try bench.type("\u{3}")
    #expect(try shows(bench, "bytes were received and not read by it."))
    #expect(bench.session.interest.contains(.reading))
  }

  @Test func `A lost device ends it`() throws {
    let bench = try begin("cat; exec sleep 100")
    try bench.unplug()
    #expect(try shows(bench, "cat was cut off: 0 bytes received, 0 sent."))
    try bench.plug()
    #expect(bench.session.state.isOpen)
    #expect(bench.state.exchange == nil)
  }

  @Test func `Quitting asks first, and a signal does not`() throws {
    let bench = try begin("exec sleep 100")
    try bench.command("q")
    #expect(
      String(decoding: bench.terminal.written, as: UTF8.self).contains(
        "leave before exec has ended"))
    bench.app.handle(signal: SIGTERM)
    bench.end()
    #expect(text(bench).contains("exec was cut off: 0 bytes received, 0 sent."))
  }

  @Test func `The port is not released meanwhile`() throws {
    let bench = try begin("exec sleep 100")
    try bench.command("r")
    #expect(text(bench).contains("Not available: exec is running."))
    bench.end()
  }

  @Test(arguments: [
    ("sz -b image.bin", "sz"), ("/usr/bin/sz x", "sz"), ("A=1 B=2 rz", "rz"), ("A=1", "A=1"),
    ("cat; ls", "cat"), (" ", "command"),
  ])
  func `Messages name the program`(command: String, name: String) {
    #expect(SessionPrograms.name(ofProgram: command) == name)
  }

  @Test func `Recent commands are offered, the last one first, behind what is typed`() {
    func titles(_ typed: String) -> [String] {
      ArgumentKind<String>.choices(typed: typed, recent: ["a", "b", "a", "c"]).map(\.title)
    }
    #expect(titles("") == ["no command", "c", "a", "b"])
    #expect(titles("b") == ["b", "c", "a"])
  }
}
