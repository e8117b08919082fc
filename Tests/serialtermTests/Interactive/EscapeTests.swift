import Terminal
import TestSupport
import Testing

@testable import serialterm

/// Quitting by `~.`, as in ssh and cu.
@Suite(.timeLimit(.minutes(30))) struct EscapeTests {
  private func bench(_ change: (inout InterfaceBench.Options) -> Void = { _ in }) throws
    -> InterfaceBench
  {
    var options = InterfaceBench.Options()
    options.escape = .character(UInt8(ascii: "~"))
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func hasQuit(_ bench: InterfaceBench) -> Bool {
    if case .success(.done)? = bench.app.outcome { true } else { false }
  }

  @Test func `The greeting names it, and it quits`() throws {
    let bench = try bench()
    #expect(
      bench.terminal.lines.first
        == "serialterm: fake:1 at 115200 8N1. ctrl-t q or ~. quits, ctrl-t ? for help.")
    try bench.type("ls\r")
    try bench.type("~")
    try bench.type(".")
    try bench.pass(.milliseconds(500))
    #expect(hasQuit(bench))
    #expect(bench.sent == Array("ls\r".utf8))
  }

  @Test func `The list names what there is`() throws {
    let bench = try bench()
    try bench.type("~?")
    let lines = bench.terminal.lines
    #expect(lines.contains("    ~.  quits"))
    #expect(lines.contains("    ~~  sends one ~"))
    #expect(bench.sent.isEmpty)
  }

  @Test func `In line input it counts at the start of the line, and is edited elsewhere`() throws {
    let bench = try bench { $0.editsLines = true }
    try bench.type("a~.")
    try bench.type("\r")
    #expect(bench.sent == Array("a~.\r".utf8))
    try bench.type("~")
    #expect((bench.terminal.lines + bench.terminal.panel).last { $0.hasPrefix(">") } == ">")
    try bench.type("/")
    #expect((bench.terminal.lines + bench.terminal.panel).last { $0.hasPrefix(">") } == "> ~/")
    try bench.type("\r")
    try bench.type("~.")
    try bench.pass(.milliseconds(500))
    #expect(hasQuit(bench))
    #expect(bench.sent == Array("a~.\r~/\r".utf8))
  }

  @Test func `In the palette it is text`() throws {
    let bench = try bench()
    try bench.command(":")
    try bench.type("~.")
    #expect(bench.interface.dialogs.isOpen)
    #expect(!hasQuit(bench))
    try bench.command("l")
    try bench.type("~.")
    try bench.pass(.milliseconds(500))
    #expect(hasQuit(bench))
  }

  @Test func `Without a device, and read-only, it quits too`() throws {
    let lost = try bench()
    try lost.unplug()
    try lost.type("~.")
    try lost.pass(.milliseconds(500))
    #expect(hasQuit(lost))
    let readOnly = try bench { $0.isReadOnly = true }
    try readOnly.type("x\r")
    try readOnly.type("~.")
    try readOnly.pass(.milliseconds(500))
    #expect(hasQuit(readOnly))
  }

  @Test func `While a file is sent it asks first`() throws {
    let folder = try TemporaryFolder()
    let bench = try bench { $0.appetite = 100 }
    try bench.sendFile(bench.file(of: 5_000, in: folder))
    try bench.type("~.")
    #expect(bench.interface.dialogs.isOpen)
    #expect(bench.app.outcome == nil)
    bench.end()
  }

  @Test func `It is off by default`() throws {
    let bench = try InterfaceBench()
    try bench.begin()
    try bench.type("~.")
    #expect(bench.app.outcome == nil)
    #expect(bench.sent == Array("~.".utf8))
  }
}
