import TestSupport
import Testing
import TextTools

@testable import TerminalWidgets

@Suite(.timeLimit(.minutes(30))) struct StatusLineTests {
  private static func everyPlace(_ body: (ScreenSize, _ row: Int, _ column: Int) -> Void) {
    for rows in StatusLine.minimumRows...6 {
      for columns in [1, 2, 5] {
        for row in 0..<rows {
          for column in 0..<columns {
            body(ScreenSize(rows: rows, columns: columns), row, column)
          }
        }
      }
    }
  }

  @Test func onAndOff_itLeavesTheTextAndTheCursor_whereverItIs() {
    Self.everyPlace { size, row, column in
      let before = PanelTests.screen(size, row: row, column: column)
      var screen = before
      var status = StatusLine()
      screen.write(status.enable(on: size, StatusParts("status")))
      Self.checkHome(screen, before, size.rows - 1)
      Self.checkStatus(screen, "status")
      screen.write(status.show(StatusParts("other")))
      Self.checkHome(screen, before, size.rows - 1)
      Self.checkStatus(screen, "other")
      screen.write(status.disable())
      Self.checkHome(screen, before, size.rows)
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
    }
  }

  @Test func text_scrollsAboveIt() {
    let size = ScreenSize(rows: 4, columns: 10)
    var screen = PanelTests.screen(size, row: 3, column: 2)
    screen.write("\u{1B}(B\u{F}")
    var status = StatusLine()
    screen.write(status.enable(on: size, StatusParts("status")))
    for number in 0..<10 { screen.write("line \(number)\r\n") }
    Self.checkStatus(screen, "status")
    #expect(!screen.history.joined().contains("status"))
    screen.write(status.disable())
    screen.write("end\r\n")
    #expect(screen.history.suffix(3) == ["line 9", "end", ""])
  }

  @Test func panel_isDrawnAboveIt_whereverTheCursorIs() {
    Self.everyPlace { size, row, column in
      for height in 0...(size.rows + 1) {
        let before = PanelTests.screen(size, row: row, column: column)
        var screen = before
        var status = StatusLine()
        var panel = Panel()
        screen.write(status.enable(on: size, StatusParts("status")))
        screen.write(panel.show(PanelContent(PanelTests.lines(height)), on: status.rest(of: size)))
        #expect(panel.lines.count == min(height, size.rows - 2))
        Self.checkHome(screen, before, size.rows - 1)
        Self.checkStatus(screen, "status")
        screen.write(status.show(StatusParts("other")))
        screen.write(panel.close())
        Self.checkHome(screen, before, size.rows - 1)
        Self.checkStatus(screen, "other")
        #expect(screen.below.dropLast().joined().allSatisfy { $0 == ScreenModel.Cell() })
      }
    }
  }

  @Test func afterResize_itIsAtTheBottom_andThePanelAboveIt() {
    var chance = Chance(seed: 7)
    for _ in 0..<repetitions(400) {
      var size = ScreenSize(rows: chance.number(3...9), columns: chance.number(3...12))
      var screen = PanelTests.screen(size, row: chance.number(0...size.rows - 1), column: 2)
      let before = screen
      var status = StatusLine()
      var panel = Panel()
      screen.write(status.enable(on: size, StatusParts("status")))
      screen.write(panel.show(PanelContent(PanelTests.lines(2)), on: status.rest(of: size)))
      size = ScreenSize(rows: chance.number(1...9), columns: size.columns)
      screen.resize(to: size)
      screen.write(panel.eraseAfterResize(to: size))
      screen.write(status.resize(to: size, StatusParts("status")))
      screen.write(panel.show(PanelContent(PanelTests.lines(2)), on: status.rest(of: size)))
      #expect((status.size == nil) == (size.rows < StatusLine.minimumRows))
      Self.checkHome(screen, before, status.rest(of: size).rows)
      if status.size != nil { Self.checkStatus(screen, "status") }
      screen.write(panel.close())
      screen.write(status.disable())
      Self.checkHome(screen, before, size.rows)
      #expect(screen.below.joined().allSatisfy { $0 == ScreenModel.Cell() })
    }
  }

  @Test func smallScreen_hasNone() {
    var status = StatusLine()
    let size = ScreenSize(rows: 2, columns: 80)
    #expect(status.enable(on: size, StatusParts("status")).isEmpty)
    #expect(status.show(StatusParts("other")).isEmpty)
    #expect(status.disable().isEmpty)
    #expect(status.rest(of: size) == size)
  }

  @Test func sameText_isNotWritten() {
    var status = StatusLine()
    _ = status.enable(on: ScreenSize(rows: 24, columns: 80), StatusParts("status"))
    #expect(status.show(StatusParts("status")).isEmpty)
    #expect(!status.redraw(StatusParts("status")).isEmpty)
  }

  @Test func text_isCutAtTheEdge_andIsNeverACommand() {
    var screen = ScreenModel(ScreenSize(rows: 4, columns: 10))
    var status = StatusLine()
    screen.write(status.enable(on: screen.size, StatusParts("a\u{1B}[2Jb a long name")))
    Self.checkStatus(screen, "a^[[2Jb a…")
  }

  private static func checkHome(_ screen: ScreenModel, _ before: ScreenModel, _ scrolling: Int) {
    #expect(screen.history == before.history)
    #expect(screen.place.column == before.place.column)
    #expect(screen.place.attributes == before.place.attributes)
    #expect(screen.place.isLineDrawing && screen.place.isShiftedOut)
    #expect(screen.region == 0..<scrolling)
    #expect(screen.wraps)
    #expect(screen.unknown.isEmpty)
  }

  private static func checkStatus(_ screen: ScreenModel, _ text: String) {
    let row = screen.grid[screen.size.rows - 1]
    #expect(ScreenModel.text(of: row) == text.truncated(toWidth: screen.size.columns))
    #expect(row.allSatisfy { $0.attributes.isEmpty })
  }
}
