import SerialCore
import Terminal
import TerminalWidgets
import TestSupport
import Testing
import TextStages

@testable import serialterm

/// What a device gets that asks the terminal something.
@Suite(.timeLimit(.minutes(30))) struct DeviceQuestionTests {
  private static let corner = "\u{1B}7\u{1B}[999;999H\u{1B}[6n\u{1B}8"

  private func bench(
    _ answers: TerminalAnswers, _ change: (inout InterfaceBench.Options) -> Void = { _ in }
  ) throws -> InterfaceBench {
    var options = InterfaceBench.Options()
    change(&options)
    let bench = try InterfaceBench(options)
    try bench.begin()
    bench.interface.model.update { $0.answers = answers }
    try bench.turn()
    return bench
  }

  /// What the device has got.
  private func sent(_ bench: InterfaceBench) throws -> String {
    try bench.accept()
    return String(decoding: bench.sent, as: UTF8.self)
  }

  /// What the terminal has got.
  private func shown(_ bench: InterfaceBench) -> String {
    bench.terminal.look()
    return String(decoding: bench.terminal.written, as: UTF8.self)
  }

  @Test func `The size of the window without the status line, and the kind of the terminal`() throws
  {
    let bench = try bench(.size) { $0.size = ScreenSize(rows: 30, columns: 100) }
    try bench.receive(Self.corner + "\u{1B}[c")
    #expect(try sent(bench) == "\u{1B}[30;100R")
    bench.interface.model.update { ($0.answers, $0.showsStatus) = (.all, true) }
    try bench.pass(.milliseconds(200))
    try bench.receive("\u{1B}[c\u{1B}[18t")
    #expect(try sent(bench) == "\u{1B}[30;100R\u{1B}[?62;22c\u{1B}[8;29;100t")
    bench.end()
  }

  @Test func `Answers have an author of their own`() throws {
    let bench = try bench(.all)
    var authors: [String] = []
    let observation = bench.session.observe(.sent) { authors.append($0.author.name) }
    try bench.receive("\u{1B}[c")
    try bench.type("x")
    #expect(authors == ["terminal", "keyboard"])
    withExtendedLifetime(observation) {}
    bench.end()
  }

  @Test func `A session that may not send, or whose pen another one has, does not answer`() throws {
    let bench = try bench(.all)
    bench.interface.model.update { $0.isReadOnly = true }
    try bench.receive("\u{1B}[c")
    bench.interface.model.update { $0.isReadOnly = false }
    let pen = try bench.session.takePen(for: .script)
    try bench.receive("\u{1B}[c")
    #expect(try sent(bench) == "")
    pen.end()
    try bench.receive("\u{1B}[c")
    #expect(try sent(bench) == "\u{1B}[?62;22c")
    bench.end()
  }

  @Test func `A device that takes nothing gets only a few answers`() throws {
    let bench = try bench(.all) { $0.appetite = 0 }
    for _ in 0..<100 { try bench.receive(String(repeating: "\u{1B}[c", count: 100)) }
    #expect((200..<512).contains(bench.session.queuedByteCount))
    bench.end()
  }

  @Test func `While the bytes go to the terminal as they are, it answers itself`() throws {
    let bench = try bench(.all)
    bench.interface.model.update { $0.view.isRaw = true }
    try bench.receive("\u{1B}[c")
    #expect(try sent(bench) == "")
    #expect(shown(bench).contains("\u{1B}[c"))
    bench.end()
  }

  @Test func `The first question without an answer gets a hint, behind its line`() throws {
    let bench = try bench(.off) { $0.size = ScreenSize(rows: 24, columns: 200) }
    try bench.receive("boot\r\n\u{1B}[6n.\r\nlogin: ")
    #expect(!shown(bench).contains("gets no answer"), "the position is not known")
    try bench.receive("a\(Self.corner)b")
    #expect(!shown(bench).contains("gets no answer"), "the line is not complete")
    try bench.receive("c\r\nnext: ")
    let hint =
      "the device asks for the size of the window and gets no answer: ctrl-t : answer gives one."
    #expect(shown(bench).components(hint) == 1)
    #expect(shown(bench).split(separator: hint).last?.hasSuffix("next: ") == true)
    try bench.receive("\r\n\(Self.corner)\r\n")
    #expect(shown(bench).components(hint) == 1)
    #expect(try sent(bench) == "")
    bench.end()
  }

  @Test func `The hint comes at once if the line is complete`() throws {
    let bench = try bench(.off)
    try bench.receive("\u{1B}[c\r\n")
    #expect(shown(bench).contains("the device asks what this terminal is"))
    bench.end()
  }

  @Test func `A session that sends nothing gives no hint`() throws {
    let bench = try bench(.off) { $0.isReadOnly = true }
    try bench.receive("\u{1B}[c\r\n")
    #expect(!shown(bench).contains("the device asks"))
    bench.end()
  }

  @Test func `The hint does not disturb a full-screen program`() throws {
    let bench = try bench(.off)
    try bench.receive("\u{1B}[?1049h\u{1B}[c one\r\ntwo\r\n")
    #expect(!shown(bench).contains("gets no answer"))
    try bench.receive("\u{1B}[?1049l\r\n$ ")
    #expect(shown(bench).contains("the device asks what this terminal is"))
    bench.end()
  }

  @Test func `Ctrl-t ctrl-q quits`() throws {
    let bench = try bench(.off)
    try bench.type("\u{14}\u{11}")
    guard case .success(.done)? = bench.app.outcome else {
      Issue.record("\(String(describing: bench.app.outcome))")
      return
    }
    bench.end()
  }
}

extension String {
  /// The number of times that a text occurs.
  fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
