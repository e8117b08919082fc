import TerminalWidgets
import TestSupport
import Testing
import TextStages

@Suite(.timeLimit(.minutes(30))) struct LineTailTests {
  private static func column(_ pieces: String..., columns: Int = 80) -> Int? {
    var tail = LineTail()
    for piece in pieces { tail.add(piece) }
    return tail.column(ofColumns: columns)
  }

  @Test func line_thatBeginsAtTheMargin_hasAKnownColumn() {
    #expect(Self.column("a\r\nlogin: ") == 7)
    #expect(Self.column("a\r\n", "log", "in: ") == 7)
    #expect(Self.column("a\r", "\nlogin: ") == 7)
    #expect(Self.column("\n", "50 %\r75 %") == 4)
    #expect(Self.column("\r\nab\ncd") == 4)
    #expect(Self.column("\r\nab\u{1B}8cd\r>") == 1)
    #expect(Self.column("\r\nab\u{1B}]0;title\u{7}cd") == 4)
    #expect(Self.column("\r\n\u{1B}[1;32mboard>\u{1B}[0m \u{1B}[K") == 7)
    #expect(Self.column("\r\n世\ta\u{8}\u{7}") == 8)
  }

  @Test func otherLines_haveNone() {
    #expect(Self.column("login: ") == nil)
    #expect(Self.column("a\nlogin: ") == nil)
    #expect(Self.column("\r\nab\u{1B}[5;1Hcd") == nil)
    #expect(Self.column("\r\nab\u{1B}8") == nil)
    #expect(Self.column("\r\nabcdef", columns: 6) == nil)
    #expect(Self.column("\r\nabcdef", columns: 7) == 6)
    #expect(Self.column("\r\n" + String(repeating: "a\u{8}", count: 600)) == nil)
  }

  @Test func placeThatIsKnown_andForgotten() {
    var tail = LineTail()
    tail.begin()
    tail.add("> ")
    #expect(tail.column(ofColumns: 80) == 2)
    tail.forget()
    #expect(tail.column(ofColumns: 80) == nil)
  }

  @Test func column_isThatOfATerminal() {
    var random = SplitMix64(seed: 12)
    let pieces = ["a", "世", "\r", "\u{8}", "\t", "\r\n", "\u{1B}[31m", "\u{1B}[K", "bc d"]
    for _ in 0..<300 {
      var tail = LineTail()
      var screen = ScreenModel(ScreenSize(rows: 5, columns: 40))
      tail.begin()
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let piece = pieces.randomElement(using: &random) ?? ""
        tail.add(piece)
        screen.write(piece)
        guard let column = tail.column(ofColumns: 40) else { break }
        #expect(column == screen.place.column)
      }
    }
  }
}

extension LineTail {
  fileprivate mutating func add(_ text: String) { Array(text.utf8).withUnsafeBytes { add($0) } }
}
