import TestSupport
import Testing
import TextTools

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct LineEditorViewTests {
  private static func row(_ text: String, cursor: Int? = nil, width: Int) -> LineEditorView.Row {
    var editor = LineEditor()
    editor.type(text)
    if let cursor { editor.move(to: cursor) }
    return LineEditorView(prompt: "> ", width: width).row(of: editor)
  }

  @Test func shortLine_isShownWhole() {
    #expect(Self.row("a世b", width: 20) == .init(text: "> a世b", cursorColumn: 6))
    #expect(Self.row("a世b", cursor: 2, width: 20) == .init(text: "> a世b", cursorColumn: 5))
  }

  @Test func longLine_isShownInPart_withMarksWhereItContinues() {
    let text = "0123456789abcdefghij"
    #expect(Self.row(text, cursor: 0, width: 13) == .init(text: "> 012345678>", cursorColumn: 2))
    #expect(Self.row(text, cursor: 10, width: 13) == .init(text: "> <6789abcd>", cursorColumn: 7))
    #expect(Self.row(text, width: 13) == .init(text: "> <ghij", cursorColumn: 7))
  }

  @Test func controlCharacters_areShownAsTwo() {
    var editor = LineEditor()
    _ = editor.handle(.paste(Array("a\tb".utf8)))
    let row = LineEditorView(prompt: "", width: 20).row(of: editor)
    #expect(row == .init(text: "a^Ib", cursorColumn: 4))
  }

  @Test func cursor_isOnItsCharacter_andTheRowFits_forAnyText() {
    var chance = Chance(seed: 11)
    var editor = LineEditor()
    for _ in 0..<5000 {
      _ = editor.handle(chance.key())
      let width = chance.number(1...30)
      let row = LineEditorView(prompt: "世>", width: width).row(of: editor)
      #expect(row.text.displayWidth <= width)
      #expect((0..<width).contains(row.cursorColumn))
    }
  }

  @Test func everyCursorOfALongLine_isOnItsCharacter() {
    let text = "a世bc界世d1e世世世fgh2ij世k"
    for width in 10...30 {
      for cursor in 0..<text.count {
        let row = Self.row(text, cursor: cursor, width: width)
        var screen = ScreenModel(ScreenSize(rows: 1, columns: width))
        screen.write(row.text)
        #expect(screen.grid[0][row.cursorColumn].character == Array(text)[cursor])
      }
    }
  }

  @Test func content_isTheRow_andItsCursor() {
    var editor = LineEditor()
    editor.type("ab")
    editor.move(to: 1)
    let content = LineEditorView(prompt: "> ", width: 12).content(of: editor)
    #expect(content == PanelContent([StyledLine("> ab")], cursorColumn: 3))
  }
}
