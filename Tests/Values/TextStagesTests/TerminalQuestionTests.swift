import Testing
import TextStages

/// The questions of a device to its terminal, and their answers on a screen of 24 rows and 80
/// columns.
@Suite(.timeLimit(.minutes(30))) struct TerminalQuestionTests {
  private func answers(_ stream: String, _ setting: TerminalAnswers = .all) -> String {
    var filter = EscapeFilter()
    let shown = filter.feed(stream)
    #expect(!shown.contains("n") && !shown.contains("c"), "no question reaches the terminal")
    return filter.takeQuestions().compactMap { $0.answer(with: setting, rows: 24, columns: 80) }
      .joined(separator: " ").replacing("\u{1B}", with: "^")
  }

  @Test(arguments: [
    ("\u{1B}[c", "^[?62;22c"), ("\u{1B}[0c", "^[?62;22c"), ("\u{1B}Z", "^[?62;22c"),
    ("\u{1B}[>c", "^[>1;10;0c"), ("\u{1B}[5n", "^[0n"), ("\u{1B}[?15n", "^[?13n"),
    ("\u{1B}[?25n", "^[?20n"), ("\u{1B}[?26n", "^[?27;1n"), ("\u{1B}[?2026$p", "^[?2026;0$y"),
    ("\u{1B}[4$p", "^[4;0$y"), ("\u{1B}[18t", "^[8;24;80t"), ("\u{1B}[19t", "^[9;24;80t"),
    ("\u{1B}[1c", ""), ("\u{1B}[=c", ""), ("\u{1B}[?u", ""), ("\u{1B}[21t", ""), ("\u{1B}[14t", ""),
    ("\u{1B}]11;?\u{7}", ""), ("\u{1B}P$qm\u{1B}\\", ""), ("\u{5}", ""), ("\u{1B}[99999999n", ""),
    ("\u{1B}[c\u{1B}[5n", "^[?62;22c ^[0n"),
  ])
  func `A VT220 answers`(_ stream: String, _ expected: String) {
    #expect(answers(stream) == expected)
    #expect(answers(stream, .off) == "")
    #expect(answers(stream, .size) == (expected.contains("24;80") ? expected : ""))
  }

  @Test(arguments: [
    ("\u{1B}[999;999H\u{1B}[6n", true), ("\u{1B}[32766;32766f\u{1B}[6n", true),
    ("\u{1B}[24;80H\u{1B}[6n", true), ("\u{1B}7\u{1B}[r\u{1B}[999;999H\u{1B}[6n\u{1B}8", true),
    ("\u{1B}[999C\u{1B}[999B\u{1B}[6n", true), ("\u{1B}[999d\u{1B}[999G\u{1B}[6n", true),
    ("\u{1B}[999;999H\u{1B}[1m\u{1B}[K\u{1B}[0c\u{1B}[6n", true), ("\u{1B}[6n", false),
    ("\u{1B}[999;999H.\u{1B}[6n", false), ("\u{1B}[999;999H\r\u{1B}[6n", false),
    ("\u{1B}[999;999H\u{1B}[A\u{1B}[6n", false), ("\u{1B}[23;80H\u{1B}[6n", false),
    ("\u{1B}[999H\u{1B}[6n", false), ("\u{1B}[999;999H\u{1B}[u\u{1B}[6n", false),
    ("\u{1B}[999;999H\u{1B}8\u{1B}[6n", false),
    ("\u{1B}[2;5r\u{1B}[?6h\u{1B}[999;999H\u{1B}[6n", false),
    ("\u{1B}[2;5r\u{1B}[999C\u{1B}[999B\u{1B}[6n", false),
    ("\u{1B}[1;24r\u{1B}[999;999H\u{1B}[6n", true),
    ("\u{1B}[2;5r\u{1B}[999G\u{1B}[999d\u{1B}[6n", true),
    ("\u{1B}[999;999H\u{1B}[?1049h\u{1B}[6n", false), ("\u{1B}[999;999H\u{1B}c\u{1B}[6n", false),
  ])
  func `The position is known in the lower right corner alone`(_ stream: String, _ isKnown: Bool) {
    #expect(answers(stream, .size) == (isKnown ? "^[24;80R" : ""))
  }

  @Test func `The extended position has its own answer`() {
    #expect(answers("\u{1B}[999;999H\u{1B}[?6n") == "^[?24;80R")
  }

  @Test func `Questions are the same however the stream is split`() {
    let stream = Array("a\u{1B}[999;999H\u{1B}[6n\u{1B}[c".utf8)
    for pieces in cuts(of: stream) {
      var filter = EscapeFilter()
      for piece in pieces { _ = filter.feed(String(decoding: piece, as: UTF8.self)) }
      #expect(filter.takeQuestions().count == 2)
    }
  }

  @Test func `Of many questions only the first are kept`() {
    var filter = EscapeFilter()
    _ = filter.feed(String(repeating: "\u{1B}[c", count: 1_000))
    #expect(filter.takeQuestions().count == 16)
    #expect(filter.takeQuestions().isEmpty)
    #expect(filter.droppedCount == 1_000)
  }

  @Test(arguments: [EscapeFilter.Permission.colours, .none])
  func `Where the device may not draw there are no questions`(_ permission: EscapeFilter.Permission)
  {
    var filter = EscapeFilter(permitting: permission)
    _ = filter.feed("\u{1B}[c\u{1B}[18t")
    #expect(filter.takeQuestions().isEmpty)
  }
}
