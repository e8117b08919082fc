/// Lines that are drawn below the cursor while the user chooses something, and are then removed.
///
/// ## Principles of operation
///
/// - **On the normal screen.** The device's text stays visible above the panel; the alternate
///   screen would hide it. A program cannot read back what it covers, so the panel covers nothing
///   that it could not restore. It is for text whose rows are not known.
/// - **Room first.** It writes IND (ESC D) once for each line, then CUU to return. Where there is
///   room below the cursor, this changes nothing. Otherwise the text moves up, and its first rows
///   go into the scrollback, as with the same number of new lines. IND keeps the column; a line
///   feed does not in every mode. Only rows above the cursor go into the scrollback, never a line
///   of the panel.
/// - **The cursor is where the user types.** Braille displays, magnifiers and input methods
///   follow it. All motion is relative to it, because the row is unknown: the text is one row
///   above the first line, at the column that the caller knows. When a terminal is resized or
///   reflows its text, it moves the cursor accordingly. Many do not move the position saved by
///   DECSC, so that is used only where the column is unknown. A cursor that the device has hidden
///   is shown meanwhile.
/// - **Drawing elsewhere saves the cursor.** Meanwhile DECSC keeps the cursor, with the attributes
///   and character sets of the device.
/// - **Nothing wraps.** Automatic wrap is off while a line is drawn, so that a character that is
///   wider than expected cannot separate the lines.
/// - **Only its own lines.** Each line is erased separately (EL), so that a status line below
///   stays. Only after a resize, when a line may have become several rows, everything below the
///   cursor is erased (ED).
///
/// When the panel is closed, the cursor is in the same column of the same text, which may have
/// moved up. Two things cannot be kept: a pending wrap in the last column, which any motion
/// cancels; and a position that the device itself had saved by DECSC, because there is only one.
///
/// If a ``StatusLine`` or a ``TopPanel`` is shown, the panel's screen is the rows between them.
public struct Panel: Sendable {
  /// The lines on the screen; empty while the panel is closed.
  public private(set) var lines: [StyledLine] = []
  /// The column of the cursor in the first line; nil while the cursor is in the text above.
  private var cursorColumn: Int?
  /// Whether the device has hidden the cursor.
  private var isCursorHidden = false
  /// Whether a cursor that the device has hidden is shown.
  private var revealsCursor = false
  /// The column of the cursor in the text, counted from 0; nil if it is unknown.
  private var textColumn: Int?
  /// The width in columns of the screen for which the lines were drawn.
  private var width = 0

  /// Creates a closed panel.
  public init() {}

  /// Whether the cursor is in the panel, and its position in the text is saved by DECSC.
  public var hasCursor: Bool { cursorColumn != nil }

  /// The bytes that show lines on the screen, instead of the present ones.
  ///
  /// - Parameters:
  ///   - size: the size of the screen, without the row of a status line. The cursor's own row stays
  ///     free. If not all lines fit below it, the first ones are shown.
  ///   - textColumn: the column of the cursor in the text, counted from 0; nil if it is unknown. It
  ///     must stay the same until the panel is closed.
  public mutating func show(
    _ content: PanelContent, on size: ScreenSize, textColumn: Int? = nil
  ) -> [UInt8] {
    let next = content.lines.prefix(size.rows - 1).map { $0.clipped(toWidth: size.columns) }
    let column = next.isEmpty ? nil : content.cursorColumn.map { min($0, size.columns - 1) }
    guard next != lines || column != cursorColumn else { return [] }
    var script = TerminalScript()
    leave(&script)
    script.write(Self.bytes(from: lines, to: next))
    (lines, cursorColumn) = (next, column)
    (self.textColumn, width) = (textColumn, size.columns)
    enter(&script)
    reveal(&script)
    return script.bytes
  }

  /// The bytes that remove the panel from the screen.
  public mutating func close() -> [UInt8] {
    var script = TerminalScript()
    leave(&script)
    script.write(Self.bytes(from: lines, to: []))
    (lines, cursorColumn) = ([], nil)
    reveal(&script)
    return script.bytes
  }

  /// The bytes that remove the panel after the size of the screen has changed, wherever its lines
  /// are now. Show the panel again afterwards. A status line is erased too.
  ///
  /// - Parameter size: the present size of the whole screen.
  public mutating func eraseAfterResize(to size: ScreenSize) -> [UInt8] {
    guard !lines.isEmpty else { return [] }
    var script = TerminalScript()
    if !hasCursor {
      script.write(Self.eraseBelow(on: size))
    } else {
      // Erases from the first line on before moving up, because the text above may have moved
      // into the scrollback.
      script.aside { script in
        script.carriageReturn()
        script.eraseToEndOfScreen()
      }
      if hasUnknownPlace(on: size) { script.carriageReturn() } else { leave(&script) }
    }
    (lines, cursorColumn) = ([], nil)
    reveal(&script)
    return script.bytes
  }

  /// The bytes that erase everything below the cursor, which is in the text: the last drawing may
  /// not have reached the terminal. A status line is erased too.
  ///
  /// - Parameter size: the size of the whole screen.
  public mutating func forget(on size: ScreenSize) -> [UInt8] {
    (lines, cursorColumn, revealsCursor) = ([], nil, false)
    return Self.eraseBelow(on: size)
  }

  /// Whether ``eraseAfterResize(to:)`` cannot find the cursor's position in the text, because
  /// its column is unknown or its line does not fit into a row. The text then continues in a
  /// new row below.
  public func hasUnknownPlace(on size: ScreenSize) -> Bool {
    guard hasCursor else { return false }
    guard let textColumn, size.rows > 1 else { return true }
    return textColumn >= min(width, size.columns)
  }

  /// The bytes that draw other bytes at the cursor's position in the text while the panel is open.
  public func around(_ bytes: [UInt8]) -> [UInt8] {
    guard hasCursor, !bytes.isEmpty else { return bytes }
    var script = TerminalScript()
    leave(&script)
    script.write(bytes)
    enter(&script)
    return script.bytes
  }

  /// Moves the cursor from the panel to its position in the text.
  private func leave(_ script: inout TerminalScript) {
    guard hasCursor else { return }
    guard let textColumn else { return script.restoreCursor() }
    script.moveDown(-1)
    script.moveToColumn(textColumn)
  }

  /// Moves the cursor from its position in the text to the panel.
  private func enter(_ script: inout TerminalScript) {
    guard let cursorColumn else { return }
    script.saveCursor()
    script.moveDown(1)
    script.moveToColumn(cursorColumn)
  }

  /// The bytes that are needed after the device has hidden or shown the cursor in its last bytes.
  public mutating func setCursorHidden(_ isHidden: Bool) -> [UInt8] {
    isCursorHidden = isHidden
    // The device itself has shown the cursor.
    if !isHidden { revealsCursor = false }
    var script = TerminalScript()
    reveal(&script)
    return script.bytes
  }

  /// Shows a hidden cursor while it is in the panel.
  private mutating func reveal(_ script: inout TerminalScript) {
    let reveals = hasCursor && isCursorHidden
    guard reveals != revealsCursor else { return }
    revealsCursor = reveals
    script.showCursor(reveals)
  }

  /// The bytes that turn lines below the cursor into others. Unchanged lines are not written.
  static func bytes(from old: [StyledLine], to new: [StyledLine]) -> [UInt8] {
    let changed = (0..<max(old.count, new.count)).filter { row in
      guard row < old.count, row < new.count else { return true }
      return old[row] != new[row]
    }
    guard !changed.isEmpty else { return [] }
    var script = TerminalScript()
    if new.count > old.count { script.makeRoom(rows: new.count) }
    script.aside { script in
      var here = -1
      for row in changed {
        script.moveDown(row - here)
        script.carriageReturn()
        // Erases before the text is written: after a line that fills its row, EL would erase
        // the last character.
        script.eraseToEndOfLine()
        if row < new.count { script.write(new[row]) }
        here = row
      }
    }
    return script.bytes
  }

  /// The bytes that erase everything below the cursor's row.
  static func eraseBelow(on size: ScreenSize) -> [UInt8] {
    guard size.rows > 1 else { return [] }
    var script = TerminalScript()
    // In the last row there is no row below to start from, and the cursor's own row
    // would be erased.
    script.makeRoom(rows: 1)
    script.aside { script in
      script.moveDown(1)
      script.carriageReturn()
      script.eraseToEndOfScreen()
    }
    return script.bytes
  }
}

/// The content of a ``Panel``: its lines, and the position where the user types.
public struct PanelContent: Hashable, Sendable {
  public var lines: [StyledLine]
  /// The column of the cursor in the first line, counted from 0; nil to leave the cursor in
  /// the text above.
  public var cursorColumn: Int?

  /// Creates panel content.
  public init(_ lines: [StyledLine], cursorColumn: Int? = nil) {
    self.lines = lines
    self.cursorColumn = cursorColumn
  }
}
