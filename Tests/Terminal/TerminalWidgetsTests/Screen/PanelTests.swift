import TestSupport
import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct PanelTests {
  /// A screen on which a device has written text, down to a row and in that row up to a column,
  /// with attributes and line drawing switched on, as a device may leave them.
  static func screen(_ size: ScreenSize, row: Int, column: Int) -> ScreenModel {
    var screen = ScreenModel(size)
    screen.write("gone\r\n" + String(repeating: "\n", count: size.rows - 1))
    screen.write("\u{1B}[H")
    for line in 0..<row {
      screen.write("\(line)\("abcdefgh".prefix(max(0, size.columns - 2)))\r\n")
    }
    screen.write(String("uvwxyz0123".prefix(column)))
    screen.write("\u{1B}[31m\u{1B}[4m\u{1B}(0\u{E}")
    return screen
  }

  static func lines(_ count: Int, _ mark: Character = "=") -> [StyledLine] {
    (0..<count).map { row in
      var line = StyledLine("\(mark)\(row)", .bold)
      line.append("世 too wide for any of the screens", .reversed)
      return line
    }
  }

  /// Every position of the cursor on small screens. Any motion cancels a pending wrap, so the last
  /// column of a screen is reached by characters that stop before it.
  private static func everyPlace(_ body: (ScreenSize, _ row: Int, _ column: Int) -> Void) {
    for rows in 1...6 {
      for columns in [1, 2, 3, 5] {
        for row in 0..<rows {
          for column in 0..<columns {
            body(ScreenSize(rows: rows, columns: columns), row, column)
          }
        }
      }
    }
  }

  @Test func openAndClosed_itLeavesTheTextAndTheCursor_whereverItIs() {
    Self.everyPlace { size, row, column in
      for height in 0...(size.rows + 1) {
        let before = Self.screen(size, row: row, column: column)
        var screen = before
        var panel = Panel()
        screen.write(panel.show(PanelContent(Self.lines(height)), on: size))
        Self.checkHome(screen, before)
        let shown = min(height, size.rows - 1)
        #expect(
          screen.below.prefix(shown).map(\.first)
            == panel.lines.map { _ in
              ScreenModel.Cell(character: "=", attributes: [1])
            })
        screen.write(panel.close())
        Self.checkHome(screen, before)
        #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
        Self.checkContinues(screen, before)
      }
    }
  }

  @Test func growingAndShrinking_itLeavesTheTextAndTheCursor() {
    var chance = Chance(seed: 5)
    for _ in 0..<400 {
      let size = ScreenSize(rows: chance.number(1...9), columns: chance.number(1...12))
      let before = Self.screen(
        size, row: chance.number(0...size.rows - 1),
        column: chance.number(0...min(9, size.columns - 1)))
      var screen = before
      var panel = Panel()
      for mark in "=+-=" {
        screen.write(panel.show(PanelContent(Self.lines(chance.number(0...10), mark)), on: size))
        Self.checkHome(screen, before)
        let expected = panel.lines.map { ScreenModel.text(of: Self.drawn($0, size)) }
        #expect(screen.below.prefix(expected.count).map(ScreenModel.text) == expected)
        #expect(
          screen.below.dropFirst(expected.count).joined().allSatisfy { $0 == ScreenModel.Cell() })
      }
      screen.write(panel.close())
      Self.checkHome(screen, before)
      Self.checkContinues(screen, before)
    }
  }

  @Test func deviceContinues_betweenOnePanelAndTheNext() {
    var screen = Self.screen(ScreenSize(rows: 4, columns: 8), row: 3, column: 2)
    screen.write("\u{1B}(B\u{F}")
    var panel = Panel()
    for _ in 0..<3 {
      screen.write(panel.show(PanelContent(Self.lines(3)), on: screen.size))
      screen.write(panel.close())
      screen.write("!\r\nuv")
    }
    #expect(screen.history.suffix(4) == ["uv!", "uv!", "uv!", "uv"])
    #expect(!screen.history.joined().contains("="))
  }

  @Test func unchangedLines_areNotWritten() {
    var panel = Panel()
    let size = ScreenSize(rows: 24, columns: 80)
    let three = PanelContent([StyledLine("one"), StyledLine("two"), StyledLine("three")])
    _ = panel.show(three, on: size)
    #expect(panel.show(three, on: size).isEmpty)
    let bytes = panel.show(
      PanelContent([StyledLine("one"), StyledLine("2"), StyledLine("three")]), on: size)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("2") && !text.contains("one") && !text.contains("three"))
  }

  @Test func lineThatIsWiderThanItSeems_doesNotPushTheOthersApart() {
    // Drawn without clipping, as if the width had been measured wrongly.
    var screen = Self.screen(ScreenSize(rows: 4, columns: 6), row: 1, column: 2)
    var script = TerminalScript()
    script.aside { script in
      script.moveDown(1)
      script.carriageReturn()
      script.write("much wider than the row")
    }
    screen.write(script.bytes)
    #expect(ScreenModel.text(of: screen.below[0]).hasPrefix("much "))
    #expect(ScreenModel.text(of: screen.below[1]).isEmpty)
  }

  @Test func afterResize_itIsGone_andCanBeShownAgain() {
    var chance = Chance(seed: 6)
    for _ in 0..<400 {
      var size = ScreenSize(rows: chance.number(1...9), columns: chance.number(3...12))
      let row = chance.number(0...size.rows - 1)
      var screen = Self.screen(size, row: row, column: 2)
      var panel = Panel()
      screen.write(panel.show(PanelContent(Self.lines(chance.number(1...6))), on: size))
      size = ScreenSize(rows: chance.number(1...9), columns: chance.number(3...12))
      screen.resize(to: size)
      var before = screen
      screen.write(panel.eraseAfterResize(to: size))
      Self.checkHome(screen, before)
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
      screen.write(panel.show(PanelContent(Self.lines(2)), on: size))
      Self.checkHome(screen, before)
      screen.write(panel.close())
      Self.checkHome(screen, before)
      before.write("\u{1B}7\u{1B}[0m\u{1B}[J\u{1B}8")
      Self.checkContinues(screen, before)
    }
  }

  // MARK: The cursor

  @Test func cursor_isWhereTheUserTypes_andThenWhereTheTextContinues() {
    Self.everyPlace { size, row, column in
      let before = Self.screen(size, row: row, column: column)
      var screen = before
      var panel = Panel()
      for (mark, place) in zip("=+-=", [3, 0, 5, 2]) {
        screen.write(
          panel.show(
            PanelContent(Self.lines(3, mark), cursorColumn: place), on: size,
            textColumn: row % 2 == 0 ? column : nil))
        let hasRoom = size.rows > 1
        #expect(panel.hasCursor == hasRoom)
        if hasRoom {
          #expect(screen.place.column == min(place, size.columns - 1))
          #expect(screen.grid[screen.place.row][0].character == mark)
          #expect(screen.history.dropLast() == before.history[...])
        }
        // Other output is drawn meanwhile, at the position in the text.
        var (text, expected) = (screen, before)
        text.write(panel.around(Array("X".utf8)))
        expected.write("X")
        #expect(text.history.dropLast(hasRoom ? 1 : 0) == expected.history[...])
        if hasRoom { #expect(text.place == screen.place) }
      }
      screen.write(panel.close())
      #expect(!panel.hasCursor)
      Self.checkHome(screen, before)
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
      Self.checkContinues(screen, before)
    }
  }

  @Test func cursorAlone_isMoved_whereNoLineChanges() {
    var screen = ScreenModel(ScreenSize(rows: 4, columns: 20))
    var panel = Panel()
    screen.write("text")
    screen.write(panel.show(PanelContent([StyledLine("> abc")], cursorColumn: 5), on: screen.size))
    let bytes = panel.show(PanelContent([StyledLine("> abc")], cursorColumn: 3), on: screen.size)
    #expect(!String(decoding: bytes, as: UTF8.self).contains("abc"))
    screen.write(bytes)
    #expect((screen.place.row, screen.place.column) == (1, 3))
    screen.write(panel.close())
    #expect((screen.place.row, screen.place.column) == (0, 4))
  }

  @Test func hiddenCursor_isShownInThePanel_andHiddenAfterwards() {
    var screen = ScreenModel(ScreenSize(rows: 4, columns: 20))
    var panel = Panel()
    let content = PanelContent(Self.lines(2), cursorColumn: 1)
    screen.write("\u{1B}[?25l")
    screen.write(panel.setCursorHidden(true))
    #expect(!screen.isCursorShown)
    screen.write(panel.show(content, on: screen.size))
    #expect(screen.isCursorShown)
    screen.write(
      panel.show(PanelContent(Self.lines(3, "+"), cursorColumn: 1), on: screen.size))
    #expect(screen.isCursorShown)
    screen.write(panel.close())
    #expect(!screen.isCursorShown)
    // The device shows the cursor while the panel is open.
    screen.write(panel.show(content, on: screen.size))
    screen.write("\u{1B}[?25h")
    screen.write(panel.setCursorHidden(false) + panel.close())
    #expect(screen.isCursorShown)
    // The device hides the cursor while the panel is open.
    screen.write(panel.show(content, on: screen.size))
    screen.write("\u{1B}[?25l")
    screen.write(panel.setCursorHidden(true))
    #expect(screen.isCursorShown)
    screen.write(panel.close())
    #expect(!screen.isCursorShown)
  }

  @Test func closedBeforeAResizeIsKnown_theCursorIsBackInItsRow() {
    // DECSC has saved a row that has changed since.
    var screen = Self.screen(ScreenSize(rows: 8, columns: 12), row: 5, column: 3)
    let text = screen.history
    var panel = Panel()
    let content = PanelContent(Self.lines(1), cursorColumn: 1)
    screen.write(panel.show(content, on: screen.size, textColumn: 3))
    screen.resize(to: ScreenSize(rows: 4, columns: 12))
    screen.write(panel.close())
    #expect(screen.history == text)
    #expect(screen.place.column == 3)
  }

  @Test func textThatAResizeHasPushedOut_leavesNothingOfThePanel() {
    var screen = ScreenModel(ScreenSize(rows: 4, columns: 12))
    var panel = Panel()
    screen.write(
      panel.show(PanelContent(Self.lines(3), cursorColumn: 1), on: screen.size, textColumn: 2))
    // The cursor's line is the first one on the screen, and the text is above it.
    screen.write("\u{1B}[H")
    screen.write(panel.eraseAfterResize(to: screen.size))
    #expect(screen.grid.joined().allSatisfy { $0 == ScreenModel.Cell() })
  }

  @Test func afterResize_theCursorIsBackInItsColumn_orInARowOfItsOwn() {
    var chance = Chance(seed: 9)
    for _ in 0..<400 {
      var size = ScreenSize(rows: chance.number(2...9), columns: chance.number(3...12))
      var screen = Self.screen(size, row: chance.number(0...size.rows - 1), column: 2)
      let text = screen.history
      var panel = Panel()
      let isKnown = chance.number(0...1) == 0
      screen.write(
        panel.show(
          PanelContent(Self.lines(chance.number(1...6)), cursorColumn: 1), on: size,
          textColumn: isKnown ? 2 : nil))
      size = ScreenSize(rows: chance.number(2...9), columns: chance.number(3...12))
      screen.resize(to: size)
      #expect(panel.hasUnknownPlace(on: size) == !isKnown)
      screen.write(panel.eraseAfterResize(to: size))
      #expect(!panel.hasCursor)
      #expect(screen.place.column == (isKnown ? 2 : 0))
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
      let clipped = text.map { String($0.prefix(size.columns)) } + (isKnown ? [] : [""])
      #expect(screen.history.map { String($0.prefix(size.columns)) } == clipped)
    }
  }

  /// Checks that the cursor is at its position in the text, and that the text and the
  /// terminal are unchanged.
  private static func checkHome(_ screen: ScreenModel, _ before: ScreenModel) {
    #expect(screen.history == before.history)
    #expect(screen.place.column == before.place.column)
    #expect(screen.place.attributes == before.place.attributes)
    #expect(screen.place.isLineDrawing && screen.place.isShiftedOut)
    #expect(screen.region == before.region)
    #expect(screen.wraps)
    #expect(screen.unknown.isEmpty)
  }

  /// Checks that the device's next output appears at the position where it would have appeared
  /// without a panel.
  private static func checkContinues(_ screen: ScreenModel, _ before: ScreenModel) {
    var (screen, before) = (screen, before)
    for text in ["X", "YZ\r\n", "next"] {
      screen.write(text)
      before.write(text)
    }
    #expect(screen.history == before.history)
  }

  private static func drawn(_ line: StyledLine, _ size: ScreenSize) -> [ScreenModel.Cell] {
    var screen = ScreenModel(size)
    screen.write("\u{1B}[?7l" + line.text)
    return screen.grid[0]
  }
}
