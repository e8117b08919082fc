/// Lines at the top of the screen that stay while the text below them scrolls.
///
/// ## Principles of operation
///
/// - **The text keeps its rows.** Nobody knows the row of the cursor. The text moves up by as many
///   rows as there is no room for below the cursor (IND), as for a ``Panel``; then blank lines are
///   inserted at the top (IL), which moves the text and the cursor down by the height of the panel.
///   Closing deletes these lines (DL), so the text moves back.
/// - **A scroll region keeps the text off the panel.** It begins below the panel and ends
///   above the ``StatusLine``. Lines that leave a region at its top do not go into the
///   scrollback of most terminals.
/// - **The cursor stays in the text**, and is saved while lines are drawn.
///
/// A device must not move the cursor freely while the panel is shown: only text and
/// colours are harmless.
public struct TopPanel: Sendable {
  /// The lines on the screen.
  public private(set) var lines: [StyledLine] = []
  /// The screen with the panel; nil while it is closed.
  public private(set) var size: ScreenSize?
  /// Whether the rows of its screen end above a status line.
  private var isAboveStatusLine = false
  /// The number of rows of the panel; 0 while it is closed.
  public private(set) var height = 0

  /// The minimum number of rows below the panel: a scroll region has at least two.
  public static let minimumRest = 2

  /// Creates a closed panel.
  public init() {}

  /// The part of a screen below the panel.
  public func rest(of size: ScreenSize) -> ScreenSize {
    ScreenSize(rows: size.rows - height, columns: size.columns)
  }

  /// The bytes that open the panel; empty if the rest of the screen would be too small.
  ///
  /// - Parameters:
  ///   - height: the number of rows.
  ///   - size: the size of the screen, without the row of a status line.
  ///   - isAboveStatusLine: whether there is a status line, which keeps a scroll region of its own.
  public mutating func open(
    height: Int, on size: ScreenSize, isAboveStatusLine: Bool = false
  ) -> [UInt8] {
    guard height > 0, size.rows - height >= Self.minimumRest else { return [] }
    self.size = size
    self.isAboveStatusLine = isAboveStatusLine
    self.height = height
    lines = []
    var script = TerminalScript()
    script.makeRoom(rows: height)
    script.aside { script in
      script.countRowsFromTop()
      script.moveToRow(1)
      script.insertLines(height)
      script.setScrollRegion(rows: height + 1...size.rows)
    }
    script.moveDown(height)
    return script.bytes
  }

  /// The bytes that show lines instead of the present ones. Lines beyond the height are not shown.
  public mutating func show(_ lines: [StyledLine]) -> [UInt8] {
    guard let size else { return [] }
    let next = (0..<height).map { row in
      row < lines.count ? lines[row].clipped(toWidth: size.columns) : StyledLine()
    }
    let changed = next.indices.filter { $0 >= self.lines.count || next[$0] != self.lines[$0] }
    guard !changed.isEmpty else { return [] }
    self.lines = next
    var script = TerminalScript()
    script.aside { script in
      script.countRowsFromTop()
      for row in changed {
        script.moveToRow(row + 1)
        // Erases before the text is written, as in a panel.
        script.eraseToEndOfLine()
        script.write(next[row])
      }
    }
    return script.bytes
  }

  /// The bytes that set the scroll region again, because it may be lost. The lines must be shown
  /// again. The cursor is then in the first column of an empty row at the end of the text.
  public mutating func restore() -> [UInt8] {
    guard let size else { return [] }
    lines = []
    var script = TerminalScript()
    script.countRowsFromTop()
    script.setScrollRegion(rows: height + 1...size.rows)
    script.moveToRow(size.rows)
    script.index()
    return script.bytes
  }

  /// The bytes that erase the text, and move the cursor to the start of its first row. A status
  /// line is erased too.
  public func eraseText() -> [UInt8] {
    var script = TerminalScript()
    script.moveToRow(height + 1)
    script.eraseToEndOfScreen()
    return script.bytes
  }

  /// The bytes that close the panel. The text moves up to the top of the screen.
  public mutating func close() -> [UInt8] {
    guard let size else { return [] }
    var script = TerminalScript()
    script.aside { script in
      script.countRowsFromTop()
      // A region of the whole screen would not grow with the window.
      script.setScrollRegion(rows: isAboveStatusLine ? 1...size.rows : nil)
      script.moveToRow(1)
      script.deleteLines(height)
    }
    script.moveDown(-height)
    forget()
    return script.bytes
  }

  /// The bytes that close the panel after the size of the screen has changed, wherever its lines
  /// are now: the whole screen is erased, with a status line, and the scroll region is reset.
  public mutating func eraseAfterResize() -> [UInt8] {
    guard size != nil else { return [] }
    forget()
    var script = TerminalScript()
    script.countRowsFromTop()
    script.setScrollRegion(rows: nil)
    script.moveToRow(1)
    script.eraseToEndOfScreen()
    return script.bytes
  }

  private mutating func forget() { (lines, size, height) = ([], nil, 0) }
}
