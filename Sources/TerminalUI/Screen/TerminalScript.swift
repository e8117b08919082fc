/// Bytes for a terminal, written down one action after the other.
///
/// The names are those of the VT500 manuals (https://vt100.net/docs/vt510-rm/), which terminals of
/// today implement: xterm, VTE, tmux, screen, the Linux console and others.
struct TerminalScript {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ text: String) { bytes += text.utf8 }

  mutating func write(_ other: [UInt8]) { bytes += other }

  /// Writes a line with its styles, and leaves them switched off.
  mutating func write(_ line: StyledLine) {
    for run in line.runs {
      let codes = run.style.codes
      if codes.isEmpty {
        write(run.text)
      } else {
        write("\u{1B}[\(codes)m\(run.text)\u{1B}[0m")
      }
    }
  }

  /// DECSC: remembers the cursor's place, the attributes, the character sets and the origin mode.
  mutating func saveCursor() { write("\u{1B}7") }

  /// DECRC: goes back to what was remembered; it stays remembered.
  mutating func restoreCursor() { write("\u{1B}8") }

  /// IND: one row down in the same column; in the last row, the text moves up instead.
  mutating func index() { write("\u{1B}D") }

  /// CUU and CUD: up for a negative number of rows, as far as there are any.
  mutating func moveDown(_ rows: Int) {
    if rows > 0 { write("\u{1B}[\(rows)B") }
    if rows < 0 { write("\u{1B}[\(-rows)A") }
  }

  mutating func carriageReturn() { write("\r") }

  /// CR and CUF: to a column of the row, counted from 0.
  mutating func moveToColumn(_ column: Int) {
    carriageReturn()
    if column > 0 { write("\u{1B}[\(column)C") }
  }

  /// DECTCEM: shows or hides the cursor.
  mutating func showCursor(_ isShown: Bool) { write("\u{1B}[?25\(isShown ? "h" : "l")") }

  /// CUP: to the beginning of a row, counted from 1.
  mutating func moveToRow(_ row: Int) { write("\u{1B}[\(row);1H") }

  /// EL: erases from the cursor to the end of its row.
  mutating func eraseToEndOfLine() { write("\u{1B}[K") }

  /// ED: erases from the cursor to the end of the screen.
  mutating func eraseToEndOfScreen() { write("\u{1B}[J") }

  /// DECSTBM: text scrolls in the first so many rows; nil for all of the screen. The cursor goes to
  /// the upper left corner.
  mutating func setScrollRegion(rows: Int?) { write(rows.map { "\u{1B}[1;\($0)r" } ?? "\u{1B}[r") }

  /// DECOM off: rows are counted from the top of the screen, whatever the device has set. DECRC
  /// brings the device's mode back.
  mutating func countRowsFromTop() { write("\u{1B}[?6l") }

  /// Draws something elsewhere and comes back: place, attributes and character sets are as before.
  ///
  /// While drawing, what runs over the edge is cut off there (DECAWM off), attributes are plain, so
  /// that what is erased has no colour, and letters are letters: the device may have switched to
  /// line drawing. Afterwards the automatic wrap is on, as terminals start with it; whether the
  /// device had it off, only those tell whose DECRC restores it.
  mutating func aside(_ draw: (inout TerminalScript) -> Void) {
    saveCursor()
    write("\u{1B}[?7l\u{1B}[0m\u{F}\u{1B}(B")
    draw(&self)
    write("\u{1B}[0m\u{1B}[?7h")
    restoreCursor()
  }

  /// Moves the text up where there is not enough room below the cursor, which stays where it is in
  /// the text.
  mutating func makeRoom(rows: Int) {
    for _ in 0..<rows { index() }
    moveDown(-rows)
  }
}

extension StyledLine.Style {
  /// The parameters of SGR.
  fileprivate var codes: String {
    [(Self.bold, "1"), (.dimmed, "2"), (.underlined, "4"), (.reversed, "7")]
      .compactMap { contains($0.0) ? $0.1 : nil }.joined(separator: ";")
  }
}
