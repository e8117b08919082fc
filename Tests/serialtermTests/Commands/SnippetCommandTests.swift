import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// Commands for snippets in a whole session.
@Suite(.timeLimit(.minutes(30))) struct SnippetCommandTests {
  private static let reboot = Snippet(name: "reboot", text: Array("reboot now".utf8), key: "1")
  private static let stop = Snippet(
    name: "stop it", text: [0x03, 0x1B], key: "z", ending: TextEnding.none)

  private func bench(_ change: (inout InterfaceBench.Options) -> Void = { _ in }) throws
    -> InterfaceBench
  {
    var options = InterfaceBench.Options()
    options.snippets = [Self.reboot, Self.stop]
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    return bench
  }

  private func answers(_ bench: InterfaceBench) -> String {
    String(decoding: bench.terminal.written, as: UTF8.self)
  }

  @Test func `A key sends the text, and what Enter sends`() throws {
    let bench = try bench()
    try bench.command("1")
    #expect(bench.sent == Array("reboot now\r".utf8))
    bench.interface.model.update { $0.lineEnding = .crlf }
    try bench.command("1")
    try bench.command("z")
    #expect(bench.sent == Array("reboot now\rreboot now\r\n\u{3}\u{1B}".utf8))
    bench.end()
  }

  @Test func `What Enter sends is added, and not put in place of a CR in the text`() throws {
    let bench = try bench { $0.snippets = [Snippet(name: "x", text: Array("a\rb".utf8), key: "1")] }
    bench.interface.model.update { $0.lineEnding = .crlf }
    try bench.command("1")
    #expect(bench.sent == Array("a\rb\r\n".utf8))
    bench.end()
  }

  @Test func `The palette finds it by its name, and sends it once`() throws {
    let bench = try bench()
    try bench.command(":")
    try bench.type("stop it\r")
    #expect(bench.sent == [0x03, 0x1B])
    bench.end()
  }

  @Test func `It is shown and mapped as what is typed, and goes through the queue`() throws {
    let bench = try bench {
      $0.appetite = 0
      $0.pacing = Pacing(lineDelay: .milliseconds(100))
    }
    bench.interface.model.update { $0.echoesLocally = true }
    try bench.type("a")
    try bench.command("1")
    #expect(bench.sent == [])
    try bench.accept()
    #expect(bench.sent == Array("areboot now\r".utf8))
    #expect(answers(bench).contains("areboot now"))
    try bench.command("1")
    #expect(bench.sent == Array("areboot now\r".utf8), "the line delay is for it too")
    try bench.pass(.milliseconds(100))
    try bench.accept()
    #expect(bench.sent == Array("areboot now\rreboot now\r".utf8))
    bench.end()
  }

  @Test func `It is off for the reasons of everything that sends`() throws {
    let readOnly = try bench { $0.isReadOnly = true }
    try readOnly.command("1")
    #expect(answers(readOnly).contains("Not available: read-only."))
    readOnly.end()
    let lost = try bench()
    try lost.unplug()
    try lost.command("1")
    #expect(answers(lost).contains("Not available: no device."))
    try lost.plug()
    #expect(lost.sent == [], "nothing was kept for later")
    lost.end()
  }

  @Test func `A full queue takes none of it, and says so`() throws {
    let bench = try bench {
      $0.appetite = 0
      $0.snippets[0] = Snippet(
        name: "long", text: [UInt8](repeating: 0x61, count: 65_536), key: "1")
    }
    try bench.command("1")
    // Keys are read although a slow device has not taken the earlier bytes.
    try bench.pass(.seconds(1))
    let filling = [UInt8](repeating: 0x62, count: bench.session.writeRoom - 2 * 65_537 - 100)
    try bench.session.write(filling.span.bytes)
    for _ in 0..<3 { try bench.command("1") }
    #expect(
      answers(bench).contains(
        "65,537 bytes were not sent: the queue is full"))
    try bench.accept()
    #expect(bench.sent.count == filling.count + 3 * 65_537)
    bench.end()
  }

  @Test func `The lists have it, with what is sent and why it is off`() throws {
    var state = TerminalState()
    state.snippets = [Self.reboot, Self.stop]
    let names = Command.groups(in: state).first { $0.group == .sending }?.commands.map(\.name)
    #expect(names?.suffix(2) == ["snippet: reboot", "snippet: stop it"])
    let off = CommandList(state: state, prefix: .standard).lines().map(\.text)
    #expect(
      off.contains { $0.hasPrefix("  1  snippet: reboot ") && $0.hasSuffix(" (off: no device)") })
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    let lines = CommandList(state: state, prefix: .standard).lines().map(\.text)
    #expect(
      lines.contains { $0.hasPrefix("  1  snippet: reboot ") && $0.hasSuffix(#" reboot now\r"#) })
    #expect(lines.contains { $0.hasPrefix("  z  snippet: stop it ") && $0.hasSuffix(#" \x03\e"#) })
    let short = CommandList(state: state, prefix: .standard).lines(
      on: ScreenSize(rows: 24, columns: 80))
    #expect(short.allSatisfy { $0.width <= 80 })
    #expect(short.contains { $0.text.contains(#"1 snippet: reboot  reboot now\r"#) })
    let choice = try #require(CommandList.choices(in: state).first { $0.name == "snippet: reboot" })
    #expect(choice.detail == #"reboot now\r"#)
    #expect(Command(key: 0x7A, in: state)?.name == "snippet: stop it")
    #expect(Command(key: 0x7A, in: TerminalState()) == nil)
  }

  @Test func `A long text is shortened where it is shown, and sent whole`() {
    var state = TerminalState()
    let text = [UInt8](repeating: 0x1B, count: 1_000)
    state.snippets = [Snippet(name: "long", text: text)]
    let shown = state.commands.first { $0.name == "snippet: long" }?.value(state) ?? ""
    #expect(shown.count == 30 && shown.hasSuffix("…"))
    #expect(state.snippets[0].bytes(enter: .cr).count == 1_001)
  }
}
