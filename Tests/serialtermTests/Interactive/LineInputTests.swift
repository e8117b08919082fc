import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// The line that a user edits before it is sent, in a session.
@Suite(.timeLimit(.minutes(30))) struct LineInputTests {
  private let bench: InterfaceBench

  init() throws {
    var options = InterfaceBench.Options()
    options.editsLines = true
    bench = try InterfaceBench(options)
    try bench.begin()
  }

  /// The edited line, as the screen shows it.
  private var line: String? {
    (bench.terminal.lines + bench.terminal.panel).last { $0.hasPrefix(">") }
  }

  private var sent: String { String(decoding: bench.sent, as: UTF8.self) }

  @Test func `A line is sent as a whole, with its end`() throws {
    try bench.type("hello")
    #expect(line == "> hello")
    #expect(sent.isEmpty)
    try bench.type("\u{1B}[D!\r")
    #expect(sent == "hell!o\r")
    #expect(line == ">")
  }

  @Test func `Many lines of an unmarked paste are sent in order`() throws {
    try bench.type((0..<200).map { "line \($0)\r" }.joined())
    #expect(sent == (0..<200).map { "line \($0)\r" }.joined())
  }

  @Test func `The device's text is above the line`() throws {
    try bench.type("hel")
    try bench.receive("one\r\ntwo\r\n")
    #expect(bench.terminal.lines.contains("one") && bench.terminal.lines.contains("two"))
    #expect(line == "> hel")
    try bench.type("lo\r")
    #expect(sent == "hello\r")
  }

  @Test(arguments: [("\u{3}", "\u{3}"), ("\u{4}", "\u{4}"), ("\u{9}", "\u{9}")])
  func `A control character that does not edit goes to the device`(
    key: String, bytes: String
  ) throws {
    try bench.type(key)
    #expect(sent == bytes)
  }

  @Test func `Escape goes to the device when nothing follows it`() throws {
    try bench.type("\u{1B}")
    #expect(sent.isEmpty)
    try bench.pass(.milliseconds(50))
    #expect(sent == "\u{1B}")
  }

  @Test func `Lines come back with the arrow, except those typed at a prompt for a password`()
    throws
  {
    try bench.type("first\r")
    try bench.receive("Password: ")
    try bench.type("secret\r")
    try bench.receive("\r\n$ ")
    try bench.type("\u{1B}[A")
    #expect(line == "> first")
    #expect(sent == "first\rsecret\r")
  }

  @Test func `What does not fit is counted, and said`() throws {
    let tooLong = LineEditor.capacity + 10
    // A marked paste counts as one key.
    try bench.type("\u{1B}[200~")
    for _ in 0..<2 { try bench.type(String(repeating: "x", count: tooLong / 2)) }
    try bench.type("\u{1B}[201~")
    #expect(bench.interface.keyboard.refusals.total == 10)
    #expect(
      bench.terminal.lines.contains { $0.hasSuffix("not sent (5 bytes): the line is full.") })
  }

  @Test func `A line that cannot be sent is counted`() throws {
    try bench.type("ab")
    try bench.unplug()
    try bench.type("c\r")
    #expect(sent.isEmpty)
    #expect(bench.interface.keyboard.refusals.total == 4)
  }

  @Test func `Switched off, keys go to the device, and the text comes back when it is on again`()
    throws
  {
    try bench.type("half")
    bench.interface.perform(KeyboardParameters.inputMode.command, from: .palette)
    try bench.turn()
    #expect(line == nil)
    try bench.type("k")
    #expect(sent == "k")
    bench.interface.perform(KeyboardParameters.inputMode.command, from: .palette)
    try bench.turn()
    #expect(line == "> half")
  }

  @Test func `A question has the keys, and the line has them again`() throws {
    try bench.type("half")
    try bench.command(":")
    try bench.type("zzz")
    #expect(bench.interface.dialogs.isOpen)
    try bench.type("\u{3}")
    try bench.type(" line\r")
    #expect(sent == "half line\r")
  }
}
