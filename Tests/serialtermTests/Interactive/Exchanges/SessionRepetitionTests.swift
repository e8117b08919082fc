import Framing
import Encodings
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// A text that is sent at intervals in a whole session.
@Suite(.timeLimit(.minutes(30))) struct SessionRepetitionTests {
  private func begin(
    _ typed: String? = "1s status", _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    if let typed {
      try bench.interface.startRepeating(RepeatOrder(parsing: typed, as: .char))
      try bench.turn()
    }
    return bench
  }

  /// The shown text in one line, because messages are wrapped.
  private func text(_ bench: InterfaceBench) -> String {
    bench.terminal.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
  }

  private func sent(_ bench: InterfaceBench) -> String {
    String(decoding: bench.sent, as: UTF8.self)
  }

  private func ended(_ reason: String, _ counts: String) -> String {
    #"the repetition of "status" has ended (\#(reason)): \#(counts)."#
  }

  @Test func `It is sent at once and at each interval, as Enter ends it`() throws {
    let bench = try begin()
    #expect(sent(bench) == "status\r")
    try bench.pass(.milliseconds(999))
    #expect(sent(bench) == "status\r")
    // The timer is late. The next moment is not.
    try bench.pass(.milliseconds(500))
    #expect(sent(bench) == "status\rstatus\r")
    bench.interface.model.update { $0.lineEnding = .lf }
    try bench.pass(.milliseconds(501))
    #expect(sent(bench) == "status\rstatus\rstatus\n")
    #expect(bench.state.repeating?.doneCount == 3)
    bench.end()
  }

  @Test func `The palette asks for it, and 'stop' ends it`() throws {
    let bench = try begin(nil)
    try bench.command(":")
    try bench.type("repeat\r")
    try bench.type("500ms 10x status\r")
    #expect(sent(bench) == "status\r")
    #expect(bench.state.repeating?.description == #""status" every 0.5 s, 1 of 10"#)
    try bench.command(":")
    try bench.type("stop repeating\r")
    #expect(bench.state.repeating == nil)
    #expect(text(bench).contains(ended("stopped", "1 sent, 0 late")))
    try bench.pass(.seconds(5))
    #expect(sent(bench) == "status\r")
    bench.end()
  }

  @Test func `With hexadecimal input it sends numbers, which nothing but the checksum follows`()
    throws
  {
    let bench = try begin(nil)
    bench.interface.model.update {
      ($0.inputMode, $0.checksum, $0.lineEnding) = (.hex, .crc16Modbus, .crlf)
      $0.view.encoding = (try? Encoding("UTF-16LE")) ?? .utf8
    }
    try bench.command(":")
    try bench.type("repeat\r")
    try bench.type("1s 01 03 00 6b 00 03\r")
    let request: [UInt8] = [1, 3, 0, 0x6B, 0, 3, 0x74, 0x17]
    #expect(bench.sent == request)
    // What was ordered stays, whatever is typed later.
    bench.interface.model.update { $0.inputMode = .char }
    try bench.pass(.seconds(1))
    #expect(bench.sent == request + request)
    // It is shown once.
    let parts = text(bench).split(
      separator: "appended crc16-modbus: 74 17.", omittingEmptySubsequences: false)
    #expect(parts.count == 2)
    #expect(bench.state.repeating?.text == "01 03 00 6b 00 03")
    bench.end()
  }

  @Test func `A wrong number starts nothing`() throws {
    let bench = try begin(nil)
    bench.interface.model.update { $0.inputMode = .hex }
    try bench.command(":")
    try bench.type("repeat\r")
    try bench.type("1s 01 0g\r")
    #expect(bench.sent.isEmpty)
    #expect(bench.state.repeating == nil)
    #expect(text(bench).contains("1s 01 0g '01 0g': column 5: 'g' is not a hexadecimal digit"))
    bench.end()
  }

  @Test func `A text has the checksum of what is sent`() throws {
    let bench = try begin("1s 2x ab")
    #expect(sent(bench) == "ab\r")
    bench.interface.model.update { $0.checksum = .sum8 }
    try bench.pass(.seconds(1))
    #expect(bench.sent == Array("ab\rab\r".utf8) + [0x61 &+ 0x62 &+ 0x0D])
    bench.end()
  }

  @Test func `It ends after the last time`() throws {
    let bench = try begin("1s 2x status")
    try bench.pass(.seconds(1))
    #expect(bench.state.repeating == nil)
    #expect(text(bench).contains(ended("as ordered", "2 sent, 0 late")))
    try bench.pass(.seconds(5))
    #expect(sent(bench) == "status\rstatus\r")
    bench.end()
  }

  @Test func `What keeps the user from sending ends it, and a return does not start it again`()
    throws
  {
    let changes: [(String, (InterfaceBench) throws -> Void)] = [
      ("no device", { try $0.unplug() }),
      ("read-only", { bench in bench.interface.model.update { $0.isReadOnly = true } }),
      (
        "max has the pen",
        { bench in
          bench.interface.model.update {
            $0.sharing.pen = .others(Sharing.Person(id: 1, name: "max", answers: true))
          }
        }
      ),
      (
        "image.bin is being sent",
        { bench in bench.interface.model.update { $0.exchange = .file("image.bin") } }
      ),
      ("reset is playing", { bench in bench.interface.model.update { $0.playing = "reset" } }),
    ]
    for (reason, change) in changes {
      let bench = try begin()
      try bench.pass(.seconds(1))
      try change(bench)
      try bench.turn()
      #expect(bench.state.repeating == nil, "\(reason)")
      #expect(text(bench).contains(ended(reason, "2 sent, 0 late")), "\(reason)")
      if reason == "no device" { try bench.plug() }
      bench.interface.model.update { ($0.isReadOnly, $0.playing, $0.exchange) = (false, nil, nil) }
      try bench.pass(.seconds(5))
      #expect(sent(bench) == "status\rstatus\r", "\(reason)")
      bench.end()
    }
  }

  @Test func `Quitting ends it before the queue is drained`() throws {
    let bench = try begin()
    bench.link?.appetite = 0
    try bench.type("a")
    try bench.command("q")
    #expect(bench.state.repeating == nil)
    #expect(text(bench).contains(ended("the session ends", "1 sent, 0 late")))
    bench.end()
  }

  @Test func `The end of the program ends it`() throws {
    let bench = try begin()
    bench.end()
    #expect(bench.state.repeating == nil)
    #expect(text(bench).contains(ended("the session ends", "1 sent, 0 late")))
  }

  @Test func `A device that takes nothing gets no burst`() throws {
    let bench = try begin("1s status") { $0.appetite = 0 }
    #expect(bench.state.repeating?.doneCount == 1)
    for _ in 0..<4 { try bench.pass(.seconds(1)) }
    try bench.accept()
    #expect(sent(bench) == "status\r")
    try bench.pass(.seconds(1))
    #expect(sent(bench) == "status\rstatus\r")
    _ = bench.interface.stopRepeating()
    try bench.turn()
    #expect(text(bench).contains(ended("stopped", "2 sent, 4 late")))
    bench.end()
  }

  @Test func `Another port with the focus ends it, and so does another text`() throws {
    let bench = try begin { $0.portCount = 2 }
    bench.interface.moveFocus(to: nil)
    try bench.turn()
    #expect(text(bench).contains("has ended (you type to another port): 1 sent, 0 late."))
    #expect(bench.interface.focus.ports.allSatisfy { $0.model.state.repeating == nil })
    try bench.interface.startRepeating(RepeatOrder(parsing: "1s one", as: .char))
    try bench.interface.startRepeating(RepeatOrder(parsing: "1s two", as: .char))
    try bench.turn()
    #expect(text(bench).contains(#""one" has ended (another text is repeated): 1 sent"#))
    #expect(bench.state.repeating?.text == "two")
    bench.end()
  }

  @Test func `The lists and the status line show it`() throws {
    var state = TerminalState()
    state.session = .open(.tty("/dev/ttyUSB0"), LineSettings())
    #expect(Need.activity.unmet(in: state) == .nothingRuns)
    state.repeating = Repetition(text: "status", interval: .seconds(1), count: nil, doneCount: 12)
    #expect(Need.activity.unmet(in: state) == nil)
    let status = StatusText(state: state, receivedRate: 0, sentRate: 0).parts.line(toWidth: 120)
      .text
    #expect(status.contains(#"  repeat "status" every 1 s, 12  "#))
    let lines = CommandList(state: state, prefix: .standard).lines().map(\.text)
    #expect(lines.contains { $0.contains(" repeat:") && $0.hasSuffix(#""status" every 1 s, 12"#) })
    #expect(lines.contains { $0.contains(" stop:") && $0.hasSuffix(#""status""#) })
  }

  @Test func `A text with control characters cannot control the terminal`() {
    let repetition = Repetition(
      text: "\u{1B}[2J" + String(repeating: "a", count: 100), interval: .seconds(1), count: 5)
    #expect(!repetition.description.contains("\u{1B}"))
    #expect(repetition.description.count < 50)
  }
}
