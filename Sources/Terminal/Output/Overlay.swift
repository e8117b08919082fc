import TerminalWidgets
import TextStages
import TextTools

/// Lines over text whose cells are known. They leave no trace: when they are removed, every cell,
/// the cursor and the modes are as before.
///
/// Lines are drawn at absolute positions. Those below the cursor leave its row visible: where there
/// is no room, the text is moved up meanwhile, without the terminal's scrollback.
struct Overlay {
  /// Where the lines are.
  private struct Place: Hashable {
    var rows: Range<Int>
    /// The rows that were changed, and the number of rows by which text is moved up there.
    var changed: Range<Int>
    var shift = 0
  }

  /// What is below the lines; nil while there are none.
  private(set) var cells: ScreenCells?
  private var place: Place?
  private var lines: [StyledLine] = []
  /// The column of the cursor in the first line; nil while the cursor is in the text.
  private var cursorColumn: Int?
  private var revealsCursor = false

  var isOpen: Bool { cells != nil }
  var hasCursor: Bool { cursorColumn != nil }

  /// The bytes that show lines below the cursor.
  mutating func show(
    belowCursor content: PanelContent, _ isCursorHidden: Bool, _ cells: ScreenCells
  ) -> [UInt8] {
    let lines = content.lines.prefix(cells.frame.count - 1)
    guard !lines.isEmpty else { return close(isCursorHidden: isCursorHidden) }
    let row = max(cells.frame.lowerBound, min(cells.row, cells.frame.upperBound - 1))
    let first = min(row + 1, cells.frame.upperBound - lines.count)
    let shift = row + 1 - first
    let rows = first..<(first + lines.count)
    let place = Place(
      rows: rows, changed: shift > 0 ? cells.frame : rows, shift: shift)
    return show(
      Array(lines), at: place, content.cursorColumn, isCursorHidden, cells)
  }

  /// The bytes that show lines in the last rows, or in the first if the cursor is in the last ones.
  mutating func show(inLastRows lines: [StyledLine], _ cells: ScreenCells) -> [UInt8] {
    let lines = Array(lines.suffix(cells.frame.count - 1))
    let first = cells.frame.upperBound - lines.count
    let rows =
      cells.row < first
      ? first..<cells.frame.upperBound
      : cells.frame.lowerBound..<(cells.frame.lowerBound + lines.count)
    return show(lines, at: Place(rows: rows, changed: rows), nil, false, cells)
  }

  /// The bytes that show lines from the first row on. Nothing moves.
  mutating func show(
    _ lines: [StyledLine], cursorColumn: Int?, _ isCursorHidden: Bool,
    _ cells: ScreenCells
  ) -> [UInt8] {
    let rows = 0..<lines.count
    return show(
      lines, at: Place(rows: rows, changed: rows), cursorColumn, isCursorHidden, cells)
  }

  private mutating func show(
    _ lines: [StyledLine], at place: Place, _ cursorColumn: Int?, _ isCursorHidden: Bool,
    _ cells: ScreenCells
  ) -> [UInt8] {
    let next = lines.map { $0.clipped(toWidth: cells.columns) }
    let column = cursorColumn.map { min($0, cells.columns - 1) }
    guard place != self.place || next != self.lines || column != self.cursorColumn else {
      return []
    }
    var script = TerminalScript()
    script.write(ScreenCells.beforePainting)
    if place != self.place {
      if let old = self.place { script.write(cells.painted(old.changed)) }
      let above = place.changed.lowerBound..<place.rows.lowerBound
      script.write(cells.painted(above, movedUpBy: place.shift))
    }
    for (index, line) in next.enumerated()
    where place != self.place || index >= self.lines.count || line != self.lines[index] {
      script.moveToRow(place.rows.lowerBound + index + 1)
      script.eraseToEndOfLine()
      script.write(line)
    }
    (self.cells, self.place, self.lines, self.cursorColumn) = (cells, place, next, column)
    enter(&script)
    reveal(isCursorHidden, &script)
    return script.bytes
  }

  /// The bytes that remove the lines; none if there are none.
  ///
  /// - Parameter isCursorHidden: whether the device has hidden the cursor.
  mutating func close(isCursorHidden: Bool = false) -> [UInt8] {
    guard let cells, let place else { return [] }
    var script = TerminalScript()
    script.write(ScreenCells.beforePainting)
    script.write(cells.painted(place.changed))
    script.write(cells.placed)
    (self.cells, self.place, lines, cursorColumn) = (nil, nil, [], nil)
    reveal(isCursorHidden, &script)
    return script.bytes
  }

  /// The bytes that draw the lines again, because something was drawn over them.
  mutating func redraw() -> [UInt8] {
    guard let cells, let place else { return [] }
    let (lines, column) = (lines, cursorColumn)
    self.lines = []
    return show(lines, at: place, column, false, cells)
  }

  /// Notes that the lines are gone.
  mutating func forget() { self = Overlay() }

  /// The bytes that show a hidden cursor while it is in the lines, and hide it afterwards.
  mutating func reveal(_ isCursorHidden: Bool) -> [UInt8] {
    var script = TerminalScript()
    reveal(isCursorHidden, &script)
    return script.bytes
  }

  private mutating func reveal(_ isCursorHidden: Bool, _ script: inout TerminalScript) {
    let reveals = hasCursor && isCursorHidden
    guard reveals != revealsCursor else { return }
    revealsCursor = reveals
    // The device itself may have shown it.
    if reveals || isCursorHidden { script.showCursor(reveals) }
  }

  /// The bytes that draw other bytes with the cursor in the text.
  func around(_ bytes: [UInt8]) -> [UInt8] {
    guard let cells, !bytes.isEmpty else { return bytes }
    var script = TerminalScript()
    script.write(cells.placed)
    script.write(bytes)
    enter(&script)
    return script.bytes
  }

  /// Moves the cursor to the place in the lines, or in the text. Its position in the text is
  /// saved, as in a ``TerminalWidgets/Panel``.
  private func enter(_ script: inout TerminalScript) {
    guard let cells, let place else { return }
    script.write(cells.placed)
    guard let cursorColumn else { return }
    script.saveCursor()
    script.write(ScreenCells.beforePainting)
    script.moveToRow(place.rows.lowerBound + 1)
    script.moveToColumn(cursorColumn)
  }
}
