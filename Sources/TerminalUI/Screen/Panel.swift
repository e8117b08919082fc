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
/// - **The cursor stays at home.** Between drawings the cursor is where the device left it. A
///   terminal that is resized, or reflows its text, takes its cursor along, while a remembered place
///   would point to anywhere. The place in the query is drawn instead. For the time of a drawing the
///   cursor is remembered by DECSC, with the attributes and character sets of the device, and all
///   motion is relative to it, since nobody knows the row.
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

  /// Creates a panel that is closed.
  public init() {}

  /// The bytes that bring lines onto the screen, in place of those that are there.
  ///
  /// - Parameter size: the screen's, without the row of a status line. The cursor's own row stays
  ///   free: of more lines than fit below it, the first are shown.
  public mutating func show(_ lines: [StyledLine], on size: ScreenSize) -> [UInt8] {
    let next = lines.prefix(size.rows - 1).map { $0.clipped(toWidth: size.columns) }
    defer { self.lines = next }
    return Self.bytes(from: self.lines, to: next)
  }

  /// The bytes that take the panel off the screen.
  public mutating func close() -> [UInt8] {
    defer { lines = [] }
    return Self.bytes(from: lines, to: [])
  }

  /// The bytes that take the panel off a screen that has another size now, whatever has become of
  /// the lines; show it again after them. A status line goes too.
  ///
  /// - Parameter size: the screen's as it is now, all of it.
  public mutating func eraseAfterResize(to size: ScreenSize) -> [UInt8] {
    defer { lines = [] }
    return lines.isEmpty ? [] : Self.eraseBelow(on: size)
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
