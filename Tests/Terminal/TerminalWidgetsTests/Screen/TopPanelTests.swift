import TestSupport
import Testing

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct TopPanelTests {
  /// Every position of the cursor on small screens, and every height that leaves room for text.
  private static func everyPlace(
    _ body: (ScreenSize, _ row: Int, _ column: Int, _ height: Int) -> Void
  ) {
    for rows in 3...7 {
      for columns in [2, 9] {
        let size = ScreenSize(rows: rows, columns: columns)
        for row in 0..<rows {
          for height in 1...(rows - TopPanel.minimumRest) { body(size, row, columns / 2, height) }
        }
      }
    }
  }

  private static func lines(_ count: Int) -> [StyledLine] {
    (0..<count).map { StyledLine("=\($0)", .coloured(.green)) }
  }

  /// The text that was written, from the scrollback down to the cursor, without the panel's rows.
  private static func text(of screen: ScreenModel, below height: Int) -> [String] {
    let rows = screen.scrollback + screen.grid[height...max(height, screen.place.row)]
    return rows.map(ScreenModel.text)
  }

  @Test func `The panel moves the text down, and back when it closes`() {
    Self.everyPlace { size, row, column, height in
      let before = PanelTests.screen(size, row: row, column: column)
      var screen = before
      var panel = TopPanel()
      screen.write(panel.open(height: height, on: size))
      screen.write(panel.show(Self.lines(height)))
      #expect(Self.text(of: screen, below: height) == before.history)
      #expect(screen.place.column == before.place.column)
      #expect(screen.place.attributes == before.place.attributes)
      #expect(screen.region == height..<size.rows)
      #expect(screen.grid[..<height].map(ScreenModel.text) == Self.lines(height).map(\.text))
      screen.write(panel.close())
      #expect(screen.history == before.history)
      #expect(screen.place.column == before.place.column)
      #expect(screen.region == 0..<size.rows)
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
      #expect(screen.unknown.isEmpty)
    }
  }

  @Test func `Text scrolls below the panel, above a status line`() {
    let size = ScreenSize(rows: 8, columns: 10)
    var screen = PanelTests.screen(size, row: 7, column: 0)
    screen.write("\u{1B}(B\u{F}")
    var status = StatusLine()
    var panel = TopPanel()
    screen.write(status.enable(on: size, StatusParts("status")))
    screen.write(panel.open(height: 3, on: status.rest(of: size), isAboveStatusLine: true))
    screen.write(panel.show(Self.lines(3)))
    for number in 0..<20 { screen.write("\r\nline \(number)") }
    #expect(
      screen.grid.map(ScreenModel.text)
        == ["=0", "=1", "=2", "line 16", "line 17", "line 18", "line 19", "status"])
    screen.write(panel.close())
    #expect(
      screen.grid.map(ScreenModel.text)
        == ["line 16", "line 17", "line 18", "line 19", "", "", "", "status"])
    #expect(screen.region == 0..<7)
  }

  @Test func `A lower panel is drawn between the top panel and the end`() {
    Self.everyPlace { size, row, column, height in
      let before = PanelTests.screen(size, row: row, column: column)
      var screen = before
      var top = TopPanel()
      var panel = Panel()
      screen.write(top.open(height: height, on: size))
      screen.write(top.show(Self.lines(height)))
      screen.write(panel.show(PanelContent(PanelTests.lines(2)), on: top.rest(of: size)))
      #expect(screen.grid[..<height].map(ScreenModel.text) == Self.lines(height).map(\.text))
      screen.write(panel.close())
      // Lines that the panel has moved out of the region are gone; the rest is in its place.
      let left = Self.text(of: screen, below: height)
      #expect(
        before.history.suffix(left.count - screen.scrollback.count)
          == left.suffix(left.count - screen.scrollback.count)[...])
    }
  }

  @Test func `Only changed lines are written`() {
    var panel = TopPanel()
    _ = panel.open(height: 3, on: ScreenSize(rows: 9, columns: 20))
    #expect(!panel.show(Self.lines(3)).isEmpty)
    #expect(panel.show(Self.lines(3)).isEmpty)
    let change = String(
      decoding: panel.show([StyledLine("new")] + Self.lines(3)[1...]), as: UTF8.self)
    #expect(change.contains("new") && !change.contains("=1"))
  }

  @Test func `A screen that is too small has no panel`() {
    var panel = TopPanel()
    let size = ScreenSize(rows: 5, columns: 20)
    #expect(panel.open(height: 4, on: size).isEmpty)
    #expect(panel.show(Self.lines(4)).isEmpty && panel.close().isEmpty)
    #expect(panel.restore().isEmpty && panel.eraseAfterResize().isEmpty)
    #expect(panel.rest(of: size) == size)
  }

  @Test func `After a lost region, the text continues at the end`() {
    let size = ScreenSize(rows: 6, columns: 10)
    var screen = ScreenModel(size)
    var panel = TopPanel()
    screen.write("one\r\n")
    screen.write(panel.open(height: 2, on: size) + panel.show(Self.lines(2)))
    screen.write("\u{1B}[r\u{1B}[1;1Hlost")
    screen.write(panel.restore() + panel.show(Self.lines(2)))
    screen.write("two\r\nthree")
    #expect(
      screen.grid.map(ScreenModel.text) == ["=0", "=1", "", "", "two", "three"])
    #expect(screen.region == 2..<6)
  }
}
