/// Lines that are drawn below the cursor while something is chosen, and then are gone.
///
/// ## Principles of operation
///
/// - **On the normal screen.** What the device has said stays in view above the panel; the
///   alternate screen would hide it. A program cannot read back what it covers, so nothing is
///   covered that it could not restore:
/// - **Room first.** IND (ESC D), once for each line, and CUU back up. Where there is room below the
///   cursor this does nothing; where there is not, the text moves up, its first rows into the
///   scrollback, as they would for as many new lines. IND keeps the column, which a line feed does
///   not in every mode. Whatever goes to the scrollback is from above the cursor: no line of the
///   panel is ever above it.
/// - **The cursor is where the user types.** Braille displays, magnifiers and input methods follow it.
///   All motion is relative to it, since nobody knows the row: to the text it is one row up from the
///   first line, and to the column that the caller knows. A terminal that is resized, or reflows its
///   text, takes the cursor along. What DECSC remembers, many leave as it was; it is used only where the
///   column is not known. A cursor that the device has hidden is shown meanwhile.
/// - **A drawing is aside.** For its time the cursor is remembered by DECSC, with the attributes and
///   character sets of the device.
/// - **Nothing wraps.** The automatic wrap is off while a line is drawn, so that a character that is
///   wider than we think cannot push the lines apart.
/// - **Lines, not the rest.** Each line is erased by itself (EL): a status line below stays. Only
///   after a resize, when lines may have become several rows, all below the cursor is erased (ED).
///
/// When the panel is closed the cursor is in the same column of the same text, which may have moved
/// up. Two things cannot be kept: a wrap that was waiting in the last column, which any motion
/// calls off, and what the device had remembered by DECSC itself, since there is one such place.
///
/// Where a ``StatusLine`` is shown, the panel's screen is one row less high.
public struct Panel: Sendable {
  /// The lines that are on the screen; none while the panel is closed.
  public private(set) var lines: [StyledLine] = []
  /// The column in the first line where the cursor is; nil while it is in the text above.
  private var cursorColumn: Int?
  /// Whether the device has hidden the cursor.
  private var isCursorHidden = false
  /// Whether a cursor that the device has hidden is shown.
  private var revealsCursor = false
  /// The column of the cursor in the text, counted from 0; nil if it is not known.
  private var textColumn: Int?
  /// The width of the screen that the lines were drawn for, in columns.
  private var width = 0

  /// Creates a panel that is closed.
  public init() {}

  /// Whether the cursor is in the panel, and its place in the text is remembered by DECSC.
  public var hasCursor: Bool { cursorColumn != nil }

  /// The bytes that bring lines onto the screen, in place of those that are there.
  ///
  /// - Parameters:
  ///   - size: the screen's, without the row of a status line. The cursor's own row stays free: of more
  ///     lines than fit below it, the first are shown.
  ///   - textColumn: the column of the cursor in the text, counted from 0; nil if it is not known. It
  ///     must be the same until the panel is closed.
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

  /// The bytes that take the panel off the screen.
  public mutating func close() -> [UInt8] {
    var script = TerminalScript()
    leave(&script)
    script.write(Self.bytes(from: lines, to: []))
    (lines, cursorColumn) = ([], nil)
    reveal(&script)
    return script.bytes
  }

  /// The bytes that take the panel off a screen that has another size now, whatever has become of
  /// the lines; show it again after them. A status line goes too.
  ///
  /// - Parameter size: the screen's as it is now, all of it.
  public mutating func eraseAfterResize(to size: ScreenSize) -> [UInt8] {
    guard !lines.isEmpty else { return [] }
    var script = TerminalScript()
    if !hasCursor {
      script.write(Self.eraseBelow(on: size))
    } else {
      // From the first line on, before the way up: the text above may have gone to the scrollback.
      script.aside { script in
        script.carriageReturn()
        script.eraseToEndOfScreen()
      }
      if losesPlace(on: size) { script.carriageReturn() } else { leave(&script) }
    }
    (lines, cursorColumn) = ([], nil)
    reveal(&script)
    return script.bytes
  }

  /// The bytes that erase everything below the cursor, which is in the text: what was drawn last
  /// may not have reached the terminal. A status line goes too.
  ///
  /// - Parameter size: the screen's, all of it.
  public mutating func forget(on size: ScreenSize) -> [UInt8] {
    (lines, cursorColumn, revealsCursor) = ([], nil, false)
    return Self.eraseBelow(on: size)
  }

  /// Whether ``eraseAfterResize(to:)`` does not find the cursor's place in the text: its column is not
  /// known, or its line does not fit in a row. The text goes on in a row of its own, below.
  public func losesPlace(on size: ScreenSize) -> Bool {
    guard hasCursor else { return false }
    guard let textColumn, size.rows > 1 else { return true }
    return textColumn >= min(width, size.columns)
  }

  /// The bytes that draw something else, from the cursor's place in the text, while the panel is open.
  public func around(_ bytes: [UInt8]) -> [UInt8] {
    guard hasCursor, !bytes.isEmpty else { return bytes }
    var script = TerminalScript()
    leave(&script)
    script.write(bytes)
    enter(&script)
    return script.bytes
  }

  /// From the panel to the place in the text.
  private func leave(_ script: inout TerminalScript) {
    guard hasCursor else { return }
    guard let textColumn else { return script.restoreCursor() }
    script.moveDown(-1)
    script.moveToColumn(textColumn)
  }

  /// From the place in the text to the panel.
  private func enter(_ script: inout TerminalScript) {
    guard let cursorColumn else { return }
    script.saveCursor()
    script.moveDown(1)
    script.moveToColumn(cursorColumn)
  }

  /// The bytes that follow from whether the device, in what it sent last, has hidden the cursor.
  public mutating func setCursorHidden(_ isHidden: Bool) -> [UInt8] {
    isCursorHidden = isHidden
    // It has shown the cursor itself.
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

  /// The bytes that turn lines below the cursor into others. Lines that stay as they are, are not
  /// written.
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
        // Before the text: after a line that fills its row, its last character would be erased.
        script.eraseToEndOfLine()
        if row < new.count { script.write(new[row]) }
        here = row
      }
    }
    return script.bytes
  }

  /// The bytes that erase all below the cursor's row.
  static func eraseBelow(on size: ScreenSize) -> [UInt8] {
    guard size.rows > 1 else { return [] }
    var script = TerminalScript()
    // In the last row there is no row below to start from, and the cursor's own would be erased.
    script.makeRoom(rows: 1)
    script.aside { script in
      script.moveDown(1)
      script.carriageReturn()
      script.eraseToEndOfScreen()
    }
    return script.bytes
  }
}

/// What a ``Panel`` shows: lines, and the place where the user types.
public struct PanelContent: Hashable, Sendable {
  public var lines: [StyledLine]
  /// The column of the cursor in the first line, counted from 0; nil leaves the cursor in the text above.
  public var cursorColumn: Int?

  /// Creates a content.
  public init(_ lines: [StyledLine], cursorColumn: Int? = nil) {
    self.lines = lines
    self.cursorColumn = cursorColumn
  }
}
