import EventLoop
import SerialCore
import Terminal
import TerminalWidgets
import TestSupport
import Testing

@testable import serialterm

/// Questions to the user in a session, drawn or printed.
@Suite(.timeLimit(.minutes(30))) struct DialogsTests {
  private let bench: InterfaceBench
  private let printing: InterfaceBench

  init() throws {
    bench = try InterfaceBench()
    var options = InterfaceBench.Options()
    options.screen = .printing
    printing = try InterfaceBench(options)
    try bench.begin()
    try printing.begin()
  }

  /// A question with its result.
  private final class Asked {
    var choices = ["one", "two", "three"].map { Choice(id: $0, title: $0) }
    var isPending = false
    private(set) var events: [String] = []

    var question: Question<String> {
      Question(
        title: "number", choices: { [unowned self] _ in choices },
        isPending: { [unowned self] _ in isPending },
        continuation: { $0.hasSuffix("/") ? $0 : nil },
        answer: { $0.hasPrefix("+") ? $0 : nil },
        onAnswer: { [unowned self] in events.append("answer \($0)") },
        onCancel: { [unowned self] in events.append("cancel") },
        onEnd: { [unowned self] in events.append("end") })
    }
  }

  private func ask(_ asked: Asked, on bench: InterfaceBench) throws {
    bench.interface.dialogs.ask(asked.question)
    try bench.turn()
  }

  // MARK: Both forms

  struct Typing: CustomTestStringConvertible {
    let keys: String
    let events: [String]
    var testDescription: String { keys.debugDescription }
  }

  @Test(arguments: [
    Typing(keys: "two\r", events: ["end", "answer two"]),
    Typing(keys: "+7\r", events: ["end", "answer +7"]),
    Typing(keys: "x\u{7F}two\r", events: ["end", "answer two"]),
    Typing(keys: "\u{3}", events: ["end", "cancel"]),
    Typing(keys: "two\u{7}", events: ["end", "cancel"]),
    Typing(keys: "nothing like it\r", events: []),
    Typing(keys: "\u{1B}[200~two\u{1B}[201~\r", events: ["end", "answer two"]),
  ])
  func `Keys mean the same in a drawn list and in a printed one`(typing: Typing) throws {
    for bench in [bench, printing] {
      let asked = Asked()
      try ask(asked, on: bench)
      try bench.type(typing.keys)
      #expect(asked.events == typing.events)
      #expect(bench.interface.dialogs.isOpen == typing.events.isEmpty)
      #expect(bench.sent.isEmpty, "nothing of it is for the device")
    }
  }

  @Test func `Escape cancels when nothing follows it`() throws {
    for bench in [bench, printing] {
      let asked = Asked()
      try ask(asked, on: bench)
      try bench.type("\u{1B}")
      #expect(asked.events.isEmpty)
      try bench.pass(.milliseconds(50))
      #expect(asked.events == ["end", "cancel"])
    }
  }

  @Test func `The rest of what is typed goes to the device`() throws {
    for bench in [bench, printing] {
      let asked = Asked()
      try ask(asked, on: bench)
      try bench.type("two\rls\r")
      #expect(asked.events == ["end", "answer two"])
      #expect(bench.sent == Array("ls\r".utf8))
    }
  }

  @Test func `A choice that is off is not taken, until it is on`() throws {
    for bench in [bench, printing] {
      let asked = Asked()
      asked.choices[1].refusal = "not now"
      try ask(asked, on: bench)
      try bench.type("two\r")
      #expect(asked.events.isEmpty)
      bench.terminal.look()
      let text = String(decoding: bench.terminal.written, as: UTF8.self)
      #expect(text.contains("not now"))
      asked.choices[1].refusal = nil
      bench.interface.dialogs.refresh(isUrgent: true)
      try bench.turn()
      try bench.type(bench === printing ? "two\r" : "\r")
      #expect(asked.events == ["end", "answer two"])
    }
  }

  @Test func `Enter waits for choices that are not complete`() throws {
    for bench in [bench, printing] {
      let asked = Asked()
      asked.isPending = true
      asked.choices = []
      try ask(asked, on: bench)
      try bench.type("two\r")
      #expect(asked.events.isEmpty && bench.interface.dialogs.isOpen)
      asked.isPending = false
      asked.choices = [Choice(id: "two", title: "two")]
      bench.interface.dialogs.refresh(isUrgent: true)
      try bench.turn()
      #expect(asked.events == ["end", "answer two"])
    }
  }

  @Test func `A key after Enter withdraws it`() throws {
    let asked = Asked()
    asked.isPending = true
    try ask(asked, on: bench)
    try bench.type("two\r")
    try bench.type("x")
    asked.isPending = false
    bench.interface.dialogs.refresh(isUrgent: true)
    try bench.turn()
    #expect(asked.events.isEmpty)
  }

  @Test func `A choice may continue the question, as a folder does`() throws {
    for bench in [bench, printing] {
      let asked = Asked()
      asked.choices = [Choice(id: "folder/", title: "folder/"), Choice(id: "file", title: "file")]
      try ask(asked, on: bench)
      try bench.type("folder/\r")
      #expect(asked.events.isEmpty && bench.interface.dialogs.isOpen)
      try bench.type("\u{3}")
      #expect(asked.events == ["end", "cancel"])
    }
  }

  @Test func `A new question takes the place of the open one, which stays unanswered`() throws {
    for bench in [bench, printing] {
      let (first, second) = (Asked(), Asked())
      try ask(first, on: bench)
      try ask(second, on: bench)
      #expect(first.events == ["end"])
      try bench.type("three\r")
      #expect(first.events == ["end"])
      #expect(second.events == ["end", "answer three"])
    }
  }

  // MARK: Drawn

  @Test func `The device's text waits while a list is drawn over it`() throws {
    let asked = Asked()
    try ask(asked, on: bench)
    try bench.receive("boot\r\n")
    #expect(!bench.terminal.lines.contains("boot"))
    #expect(bench.terminal.panel.contains { $0.contains("three") })
    try bench.type("one\r")
    #expect(bench.terminal.lines.last == "boot")
    #expect(bench.terminal.panel.isEmpty)
  }

  @Test func `The list follows the state while it is open`() throws {
    try bench.command(":")
    func row(_ name: String) -> String? {
      (bench.terminal.lines + bench.terminal.panel).first { $0.contains(name) }
    }
    try bench.type("break")
    #expect(row("send a break").map { !$0.contains("no device") } == true)
    try bench.unplug()
    try bench.pass(.milliseconds(100))
    #expect(row("send a break")?.contains("no device") == true)
    try bench.type("\r")
    #expect(bench.interface.dialogs.isOpen)
    try bench.plug()
    try bench.pass(.milliseconds(100))
    #expect(row("send a break").map { !$0.contains("no device") } == true)
  }

  @Test func `Progress of a file draws a list at most ten times a second`() throws {
    var draws = 0
    let question = Question<String>(
      title: "x",
      choices: { _ in
        draws += 1
        return [Choice(id: "x", title: "x")]
      }, onAnswer: { _ in })
    bench.interface.dialogs.ask(question)
    try bench.turn()
    draws = 0
    for _ in 0..<100 {
      bench.interface.dialogs.refresh()
      try bench.turn()
      bench.clock.advance(by: .milliseconds(10))
    }
    #expect((1...11).contains(draws), "\(draws)")
  }

  // MARK: Printed

  @Test func `A printed list is numbered, and stays as it was`() throws {
    let asked = Asked()
    try ask(asked, on: printing)
    #expect(
      printing.terminal.lines.suffix(5) == [
        "serialterm: number: type a number or a name, then Enter. Enter alone cancels.",
        "  1) one", "  2) two", "  3) three", "number:",
      ])
    // The number stands for the printed choice.
    asked.choices.reverse()
    try printing.type("3\r")
    #expect(asked.events == ["end", "answer three"])
  }

  @Test func `Enter alone cancels a printed list`() throws {
    let asked = Asked()
    try ask(asked, on: printing)
    try printing.type("\r")
    #expect(asked.events == ["end", "cancel"])
    #expect(printing.terminal.lines.last == "serialterm: cancelled.")
  }

  @Test func `An answer to a printed list is echoed, and corrected with Backspace`() throws {
    let asked = Asked()
    try ask(asked, on: printing)
    try printing.type("twx\u{7F}o")
    #expect(printing.terminal.lines.last == "number: two")
    try printing.type("x\r")
    #expect(
      printing.terminal.lines.suffix(2) == ["serialterm: 'twox' is not in the list.", "number:"])
    #expect(asked.events.isEmpty)
  }

  @Test func `Text in pages closes at its end and with q`() throws {
    bench.interface.dialogs.show { _ in (1...50).map { StyledLine("row \($0)") } }
    try bench.turn()
    #expect(bench.terminal.panel.contains("row 23") && !bench.terminal.panel.contains("row 24"))
    try bench.type("  ")
    #expect(bench.terminal.panel.contains("row 50"))
    #expect(bench.interface.dialogs.isOpen)
    try bench.type(" ")
    #expect(!bench.interface.dialogs.isOpen)
    printing.interface.dialogs.print((1...50).map { StyledLine("row \($0)") }, rows: 24)
    try printing.turn()
    #expect(!printing.terminal.lines.contains { $0.contains("row 23") })
    try printing.type("q")
    #expect(!printing.interface.dialogs.isOpen)
  }
}
