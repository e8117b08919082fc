import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct LineEditorTests {
  /// An editor in which a text was typed. `|` marks the cursor.
  private static func editor(_ text: String) -> LineEditor {
    var editor = LineEditor()
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    editor.type(text.replacingBar)
    if parts.count > 1 { editor.move(to: parts[0].count) }
    return editor
  }

  @Test(arguments: [
    ("ab|", Key.character("c"), "abc|"), ("a|b", .character("x"), "ax|b"),
    ("ab|", .named(.left), "a|b"), ("|ab", .named(.left), "|ab"), ("a|b", .named(.right), "ab|"),
    ("ab|", .named(.right), "ab|"), ("a|b", .control("a"), "|ab"), ("a|b", .control("e"), "ab|"),
    ("a|b", .named(.home), "|ab"), ("a|b", .named(.end), "ab|"), ("a|b", .control("b"), "|ab"),
    ("a|b", .control("f"), "ab|"), ("ab|c", .named(.backspace), "a|c"),
    ("|ab", .named(.backspace), "|ab"), ("a|bc", .named(.delete), "a|c"),
    ("ab|", .named(.delete), "ab|"), ("a|b", .control("d"), "a|"), ("ab|", .control("d"), "ab|"),
    ("ab|cd", .control("k"), "ab|"), ("ab|cd", .control("u"), "|cd"),
    ("ab cd-ef|g", .control("w"), "ab |g"), ("ab  |", .control("w"), "|"),
    ("ab cd-ef|g", .named(.backspace, .alt), "ab cd-|g"), ("a|b cd", .alt("d"), "a| cd"),
    ("ab cd|", .alt("b"), "ab |cd"), ("ab| cd", .alt("f"), "ab cd|"),
    ("ab cd|", .named(.left, .control), "ab |cd"), ("|ab cd", .named(.right, .alt), "ab| cd"),
    ("e|", .character("\u{301}"), "e\u{301}|"), ("ae\u{301}|", .named(.backspace), "a|"),
    ("a|世", .named(.right), "a世|"),
  ])
  func key_editsTheLine(before: String, key: Key, after: String) {
    var editor = Self.editor(before)
    #expect(editor.handle(key).isEmpty)
    #expect(editor.marked == after)
  }

  @Test func enter_submitsTheLine_andBeginsAnother() {
    var editor = Self.editor("led| on")
    #expect(editor.handle(.named(.enter)) == [.submit("led on")])
    #expect(editor.marked == "|")
    #expect(editor.history.lines == ["led on"])
  }

  @Test func lineOfHexNumbers_isRefusedAtTheMistake_andStays() {
    var editor = Self.editor("01 0g 02|")
    editor.form = .hex
    #expect(
      editor.handle(.named(.enter)) == [.refused("column 5: 'g' is not a hexadecimal digit")])
    #expect(editor.marked == "01 0|g 02")
    #expect(editor.history.lines.isEmpty)
    editor.handle([.named(.delete), .character("2")])
    #expect(editor.handle(.named(.enter)) == [.submit("01 02 02")])
  }

  @Test func halfAByte_isCompletedAfterItsDigit() {
    var editor = Self.editor("74 6 6d|")
    editor.form = .hex
    #expect(editor.handle(.named(.enter)).count == 1)
    #expect(editor.marked == "74 6| 6d")
    editor.type("5")
    #expect(editor.handle(.named(.enter)) == [.submit("74 65 6d")])
  }

  @Test func pasteOfHexNumbers_endsWithTheFirstWrongLine() {
    var editor = LineEditor()
    editor.form = .hex
    #expect(
      editor.handle(.paste(Array("01\n2\n3\n".utf8))) == [
        .submit("01"), .refused("column 1: a byte has two hexadecimal digits, here is only one"),
        .dropped(byteCount: 2),
      ])
    #expect(editor.marked == "2|")
  }

  @Test func controlD_endsTheInput_inAnEmptyLineOnly() {
    var editor = LineEditor()
    #expect(editor.handle(.control("d")) == [.endOfInput])
    editor.type("a")
    #expect(editor.handle(.control("d")).isEmpty)
  }

  @Test(arguments: [Key.control("c"), .control("\\"), .named(.tab), .named(.escape), .alt("x")])
  func keyThatMeansNothing_isGivenBack(key: Key) {
    var editor = Self.editor("a|b")
    #expect(editor.handle(key) == [.unused(key)])
    #expect(editor.marked == "a|b")
  }

  @Test func killedText_isBroughtBack() {
    var editor = Self.editor("ab |cd")
    editor.handle([.control("k"), .control("a"), .control("y")])
    #expect(editor.marked == "cd|ab ")
    editor.handle([.control("y")])
    #expect(editor.marked == "cdcd|ab ")
  }

  @Test func killsInARow_arePutTogether() {
    var editor = Self.editor("one two three| four")
    editor.handle([.control("w"), .control("w"), .control("k"), .control("y")])
    #expect(editor.marked == "one two three four|")
    editor.handle([.control("w"), .control("a"), .control("w"), .control("e"), .control("y")])
    #expect(editor.marked == "one two three |")
  }

  @Test func history_isWalked_andTheUnfinishedLineIsKept() {
    var editor = LineEditor(history: History(parsing: "one\ntwo\n"))
    editor.type("unfin")
    editor.handle([.named(.up)])
    #expect(editor.marked == "two|")
    editor.handle([.control("p"), .named(.up)])
    #expect(editor.marked == "one|")
    editor.handle([.named(.down), .control("n")])
    #expect(editor.marked == "unfin|")
    editor.handle([.named(.down)])
    #expect(editor.marked == "unfin|")
  }

  @Test func recalledLine_canBeChangedAndSubmitted() {
    var editor = LineEditor(history: History(parsing: "one\ntwo\n"))
    editor.handle([.named(.up), .named(.up)])
    editor.type("!")
    #expect(editor.handle(.named(.enter)) == [.submit("one!")])
    editor.handle([.named(.up)])
    #expect(editor.marked == "one!|")
  }

  @Test func otherHistory_takesThePlaceOfTheOne_andTheLineStays() {
    var editor = LineEditor(history: History(parsing: "one\n"))
    editor.handle([.named(.up)])
    editor.replaceHistory(History(parsing: "two\nthree\n"))
    #expect(editor.marked == "one|")
    editor.handle([.named(.up), .named(.up)])
    #expect(editor.marked == "two|")
  }

  @Test(arguments: ["\r", "\n", "\r\n"])
  func pastedLines_areSubmittedInOrder_andTheRestStays(end: String) {
    var editor = Self.editor("x|y")
    let events = editor.handle(.paste(Array("a\(end)b\(end)\(end)c".utf8)))
    #expect(events == [.submit("xay"), .submit("b"), .submit("")])
    #expect(editor.marked == "c|")
  }

  @Test func lineEndInTwoPieces_isOneEnd() {
    var editor = LineEditor()
    #expect(editor.handle(.paste(Array("a\r".utf8))) == [.submit("a")])
    #expect(editor.handle(.paste(Array("\nb".utf8))).isEmpty)
    #expect(editor.marked == "b|")
  }

  @Test func pastedControlCharacters_areLeftOut_butTheTab() {
    var editor = LineEditor()
    _ = editor.handle(.paste(Array("a\u{1B}[A\tb\u{3}".utf8)))
    #expect(editor.text == "a[A\tb")
  }

  @Test func lineThatIsFull_takesNoMore() {
    var editor = LineEditor()
    let pasted = [UInt8](repeating: 0x61, count: 40_000)
    #expect(editor.handle(.paste(pasted)) == [])
    #expect(
      editor.handle(.paste(pasted)) == [.dropped(byteCount: 80_000 - LineEditor.capacity)])
    #expect(editor.handle(.character("b")) == [.dropped(byteCount: 1)])
    #expect(editor.characters.count == LineEditor.capacity)
    #expect(!editor.text.contains("b"))
    editor.handle([.named(.backspace), .character("b")])
    #expect(editor.text.last == "b")
  }

  @Test(arguments: [
    ("e", "\u{301}"), ("👨", "\u{200D}👨"), ("क", "\u{94D}क"), ("\u{1100}", "\u{1100}"),
  ])
  func character_isBounded_howeverMuchIsJoinedToIt(first: String, joined: String) {
    let text = first + String(repeating: joined, count: 2_000)
    var (typed, pasted) = (LineEditor(), LineEditor())
    typed.type(text)
    for start in stride(from: 0, to: text.utf8.count, by: 4_096) {
      _ = pasted.handle(.paste(Array(text.utf8.dropFirst(start).prefix(4_096))))
    }
    for editor in [typed, pasted] {
      #expect(editor.characters.count >= 1)
      #expect(
        editor.characters.allSatisfy {
          $0.unicodeScalars.count <= LineEditor.characterCapacity
        })
      #expect(Array(editor.text) == editor.characters)
    }
    var editor = LineEditor()
    editor.type(first)
    let dropped = (1...40).flatMap { _ in editor.handle(.paste(Array(joined.utf8))) }
    #expect(dropped.isEmpty == (editor.characters.count > 1))
  }

  @Test func flagsInARow_areFormedAgain_whereALetterComesBetween() {
    var editor = LineEditor()
    editor.type("🇩🇪🇫🇷🇮🇹x")
    editor.move(to: 0)
    _ = editor.handle(.character("\u{1F1E6}"))
    #expect(editor.characters.count == 5)
    #expect(Array(editor.text) == editor.characters)
  }

  @Test func lineThatBeginsWithASpace_isNotInTheHistory() {
    var editor = LineEditor()
    editor.type(" secret")
    editor.handle([.named(.enter), .named(.up)])
    #expect(editor.text.isEmpty)
  }

  @Test func secret_isNotInTheHistory_andIsNotBroughtBack() {
    var editor = LineEditor()
    editor.type("log")
    editor.takesSecret = true
    editor.type("in")
    editor.handle([.control("u")])
    editor.type("password")
    editor.takesSecret = false
    #expect(editor.handle(.named(.enter)) == [.submitSecret("password")])
    editor.handle([.control("y"), .named(.up)])
    #expect(editor.text.isEmpty)
    editor.type("ls")
    editor.handle([.named(.enter), .named(.up)])
    #expect(editor.text == "ls")
    #expect(editor.history.lines == ["ls"])
  }

  @Test func linesOfAPaste_areAllSecret_whileOneIsAskedFor() {
    var editor = LineEditor()
    editor.takesSecret = true
    _ = editor.handle(.paste(Array("one\ntwo\nthr".utf8)))
    editor.takesSecret = false
    editor.handle([.named(.enter)])
    #expect(editor.history.lines.isEmpty)
  }

  @Test func anyKeys_keepTheLineInOrder() {
    var chance = Chance(seed: 9)
    var editor = LineEditor(history: History(capacity: 5))
    for _ in 0..<20_000 {
      _ = editor.handle(chance.key())
      #expect((0...editor.characters.count).contains(editor.cursor))
      #expect(Array(editor.text) == editor.characters)
      #expect(editor.history.lines.count <= 5)
      #expect(
        editor.characters.allSatisfy { $0.unicodeScalars.count <= LineEditor.characterCapacity })
      #expect(!editor.text.contains { $0.isNewline })
    }
  }
}

extension LineEditor {
  mutating func handle(_ keys: [Key]) { for key in keys { _ = handle(key) } }

  mutating func type(_ text: String) { handle(text.unicodeScalars.map { .character($0) }) }

  /// The line, with `|` at the position of the cursor.
  var marked: String { String(characters[..<cursor]) + "|" + String(characters[cursor...]) }
}

extension String {
  fileprivate var replacingBar: String { filter { $0 != "|" } }
}
