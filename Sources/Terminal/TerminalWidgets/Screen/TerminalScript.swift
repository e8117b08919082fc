/// A sequence of bytes for a terminal, composed of actions.
///
/// The names are those of the VT500 manuals (https://vt100.net/docs/vt510-rm/), which today's
/// terminals implement: xterm, VTE, tmux, screen, the Linux console and others.
package struct TerminalScript {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ text: String) { bytes += text.utf8 }

  package mutating func write(_ other: [UInt8]) { bytes += other }

  /// Writes a line with its styles, and then resets the style.
  package mutating func write(_ line: StyledLine) {
    for run in line.runs {
      let codes = run.style.codes
      if codes.isEmpty {
        write(run.text)
      } else {
        write("\u{1B}[\(codes)m\(run.text)\u{1B}[0m")
      }
    }
  }

  /// DECSC: saves the cursor's position, the attributes, the character sets and the origin mode.
  package mutating func saveCursor() { write("\u{1B}7") }

  /// DECRC: restores the saved state, which stays saved.
  mutating func restoreCursor() { write("\u{1B}8") }

  /// IND: moves one row down in the same column. In the last row, the text moves up instead.
  mutating func index() { write("\u{1B}D") }

  /// CUU and CUD: moves up for a negative number of rows, at most to the edge of the screen.
  mutating func moveDown(_ rows: Int) {
    if rows > 0 { write("\u{1B}[\(rows)B") }
    if rows < 0 { write("\u{1B}[\(-rows)A") }
  }

  mutating func carriageReturn() { write("\r") }

  /// CR and CUF: moves to a column of the row, counted from 0.
  package mutating func moveToColumn(_ column: Int) {
    carriageReturn()
    if column > 0 { write("\u{1B}[\(column)C") }
  }

  /// DECTCEM: shows or hides the cursor.
  package mutating func showCursor(_ isShown: Bool) { write("\u{1B}[?25\(isShown ? "h" : "l")") }

  /// CUP: moves to the beginning of a row, counted from 1.
  package mutating func moveToRow(_ row: Int) { write("\u{1B}[\(row);1H") }

  /// EL: erases from the cursor to the end of its row.
  package mutating func eraseToEndOfLine() { write("\u{1B}[K") }

  /// ED: erases from the cursor to the end of the screen.
  mutating func eraseToEndOfScreen() { write("\u{1B}[J") }

  /// IL: inserts empty lines at the cursor's row. The lines below move down within
  /// the scroll region.
  mutating func insertLines(_ count: Int) { write("\u{1B}[\(count)L") }

  /// DL: deletes lines from the cursor's row on. The lines below move up within the scroll region.
  mutating func deleteLines(_ count: Int) { write("\u{1B}[\(count)M") }

  /// DECSTBM: makes only the given rows scroll, counted from 1; nil for the whole screen. The
  /// cursor moves to the upper left corner.
  mutating func setScrollRegion(rows: ClosedRange<Int>?) {
    write(rows.map { "\u{1B}[\($0.lowerBound);\($0.upperBound)r" } ?? "\u{1B}[r")
  }

  /// DECOM off: counts rows from the top of the screen in any mode that the device has set. DECRC
  /// restores the device's mode.
  mutating func countRowsFromTop() { write("\u{1B}[?6l") }

  /// Draws elsewhere and returns: position, attributes and character sets are then as before.
  ///
  /// While drawing, text is clipped at the edge (DECAWM off), attributes are reset, so that erased
  /// cells have no colour, and letters are shown as letters, because the device may have switched
  /// to line drawing. Afterwards automatic wrap is on, the default of terminals. If the device had
  /// switched it off, only terminals whose DECRC restores it keep that.
  mutating func aside(_ draw: (inout TerminalScript) -> Void) {
    saveCursor()
    write("\u{1B}[?7l\u{1B}[0m\u{F}\u{1B}(B")
    draw(&self)
    write("\u{1B}[0m\u{1B}[?7h")
    restoreCursor()
  }

  /// Moves the text up if there is not enough room below the cursor, which keeps its position
  /// in the text.
  mutating func makeRoom(rows: Int) {
    for _ in 0..<rows { index() }
    moveDown(-rows)
  }
}

extension StyledLine.Style {
  /// The parameters of SGR.
  fileprivate var codes: String {
    let attributes = [(Self.bold, "1"), (.dimmed, "2"), (.underlined, "4"), (.reversed, "7")]
      .compactMap { contains($0.0) ? $0.1 : nil }
    return (attributes + (colour.map { [$0.code] } ?? [])).joined(separator: ";")
  }
}
