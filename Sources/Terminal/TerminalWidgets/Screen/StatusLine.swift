import TextTools

/// A line at the bottom of the screen that stays while the text above it scrolls.
///
/// A scroll region (DECSTBM) that ends above the row keeps the text off it. Setting the region
/// moves the cursor to the upper left corner, so the cursor is saved before and restored after
/// that. The region is a mode of the terminal: ``disable()`` must reset it before another program
/// uses the terminal. A device that resets the terminal or sets its own region, as full-screen
/// programs do, removes the line; ``resize(to:_:)`` to the same size restores it.
public struct StatusLine: Sendable {
  /// The screen for which the region is set; nil while the line is off.
  public private(set) var size: ScreenSize?
  private var shown = StyledLine()
  private let isASCII: Bool

  /// The minimum number of rows of a screen with a status line: a scroll region has at least two.
  public static let minimumRows = 3

  /// Creates a status line that is off.
  ///
  /// - Parameter isASCII: whether the terminal can only show ASCII.
  public init(isASCII: Bool = false) { self.isASCII = isASCII }

  /// The part of a screen above the line.
  public func rest(of size: ScreenSize) -> ScreenSize {
    self.size == nil ? size : ScreenSize(rows: size.rows - 1, columns: size.columns)
  }

  /// The bytes that switch the line on; empty for a screen that is too small, where it stays off.
  ///
  /// A cursor in the last row moves up one row, together with the text.
  public mutating func enable(on size: ScreenSize, _ parts: StatusParts) -> [UInt8] {
    guard size.rows >= Self.minimumRows else { return [] }
    self.size = size
    var script = TerminalScript()
    script.makeRoom(rows: 1)
    script.saveCursor()
    script.setScrollRegion(rows: 1...size.rows - 1)
    script.restoreCursor()
    return script.bytes + redraw(parts)
  }

  /// The bytes that show parts; empty while the line is off or already shows them.
  public mutating func show(_ parts: StatusParts) -> [UInt8] {
    guard let size, line(parts, size) != shown else { return [] }
    return redraw(parts)
  }

  /// The bytes that show parts in any case, because the screen may have been erased.
  public mutating func redraw(_ parts: StatusParts) -> [UInt8] {
    guard let size else { return [] }
    shown = line(parts, size)
    var script = TerminalScript()
    script.aside { script in
      script.countRowsFromTop()
      script.moveToRow(size.rows)
      script.write(shown)
    }
    return script.bytes
  }

  /// The bytes that adapt the line to a new size of the screen.
  ///
  /// The present position of its row is unknown, but below the cursor, so everything there is
  /// erased. If the screen has become too small, the line is then off.
  public mutating func resize(to size: ScreenSize, _ parts: StatusParts) -> [UInt8] {
    guard self.size != nil else { return [] }
    var script = TerminalScript()
    resetRegion(&script)
    self.size = nil
    return script.bytes + Panel.eraseBelow(on: size) + enable(on: size, parts)
  }

  /// The bytes that switch the line off, erase it, and reset the scroll region to the whole screen.
  public mutating func disable() -> [UInt8] {
    guard let size else { return [] }
    self.size = nil
    var script = TerminalScript()
    script.aside { script in
      script.countRowsFromTop()
      script.moveToRow(size.rows)
      script.eraseToEndOfLine()
    }
    resetRegion(&script)
    return script.bytes
  }

  private func resetRegion(_ script: inout TerminalScript) {
    script.saveCursor()
    script.setScrollRegion(rows: nil)
    script.restoreCursor()
  }

  private func line(_ parts: StatusParts, _ size: ScreenSize) -> StyledLine {
    let line = parts.line(toWidth: size.columns)
    return isASCII ? line.asciiForm : line
  }
}
