import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct HistoryTests {
  private static func history(_ lines: [String], capacity: Int = 10) -> History {
    var history = History(capacity: capacity)
    for line in lines { history.append(line) }
    return history
  }

  @Test func repeatedAndEmptyLines_areNotKept() {
    #expect(Self.history(["a", "a", "", "b", "a"]).lines == ["a", "b", "a"])
  }

  @Test func oldestLine_goesFirst() {
    #expect(Self.history(["a", "b", "c"], capacity: 2).lines == ["b", "c"])
  }

  @Test func text_hasOneEntryALine() {
    let history = Self.history(["a b", "c\\d\te\nf\r\u{85}\u{2028}g", "é世👨‍👩‍👧"])
    #expect(
      history.serialised
        == "a b\nc\\\\d\\te\\nf\\u{d}\\u{85}\\u{2028}g\né世👨‍👩‍👧\n")
    #expect(History(parsing: history.serialised, capacity: 10) == history)
  }

  @Test(arguments: [
    ("a\\", "a\\"), ("\\x", "\\x"), ("\\u", "\\u"), ("\\u{", "\\u{"), ("\\u{}", "\\u{}"),
    ("\\u{zz}", "\\u{zz}"), ("\\u{d800}", "\\u{d800}"), ("\\u{110000}", "\\u{110000}"),
    ("\\u{41}b", "Ab"), ("\\\\n", "\\n"),
  ])
  func otherThanAnEscape_standsForItself(line: String, meaning: String) {
    #expect(History(parsing: line).lines == [meaning])
  }

  @Test func linesOfOtherSystems_areReadToo() {
    #expect(History(parsing: "a\r\nb\r\n\r\nc").lines == ["a", "b", "c"])
  }

  @Test func anyLine_comesBackAsItWas() {
    var chance = Chance(seed: 10)
    let scalars: [Unicode.Scalar] = ["\\", "n", "u", "{", "}", "\n", "\r", "\u{301}", "a", "\u{0}"]
    for _ in 0..<1000 {
      var line = String.UnicodeScalarView()
      for _ in 0..<chance.number(1...8) { line.append(scalars[chance.number(0...9)]) }
      let history = Self.history([String(line)])
      #expect(History(parsing: history.serialised, capacity: 10) == history)
      #expect(history.serialised.filter(\.isNewline).count == 1)
    }
  }
}
