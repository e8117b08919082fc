/// One line at the bottom of the screen that stays while the text above it scrolls.
///
/// The text is kept off the row by a scroll region (DECSTBM) that ends above it. Setting the region
/// sends the cursor to the upper left corner, so it is remembered and restored around that. The
/// region is a mode of the terminal: it must be reset, by ``disable()``, before the terminal is
/// given to somebody else. A device that resets the terminal, or sets a region of its own as
/// full-screen programs do, takes the line away; ``resize(to:_:)`` to the same size brings it back.
public struct StatusLine: Sendable {
  /// The screen that the region is set for; nil while the line is off.
  public private(set) var size: ScreenSize?
  private var shown = StyledLine()
  private let isASCII: Bool

  /// The fewest rows of a screen that has a status line: a scroll region has at least two.
  public static let minimumRows = 3

  /// Creates a status line that is off.
  ///
  /// - Parameter isASCII: whether the terminal shows nothing but ASCII.
  public init(isASCII: Bool = false) { self.isASCII = isASCII }

  /// How much of a screen is left above the line.
  public func rest(of size: ScreenSize) -> ScreenSize {
    self.size == nil ? size : ScreenSize(rows: size.rows - 1, columns: size.columns)
  }

  /// The bytes that switch the line on; none on a screen that is too small, where it stays off.
  ///
  /// A cursor in the last row goes up one row, with the text.
  public mutating func enable(on size: ScreenSize, _ text: String) -> [UInt8] {
    guard size.rows >= Self.minimumRows else { return [] }
    self.size = size
    var script = TerminalScript()
    script.makeRoom(rows: 1)
    script.saveCursor()
    script.setScrollRegion(rows: size.rows - 1)
    script.restoreCursor()
    return script.bytes + redraw(text)
  }

  /// The bytes that show a text; none while the line is off or shows it already.
  public mutating func show(_ text: String) -> [UInt8] {
    guard let size, line(text, size) != shown else { return [] }
    return redraw(text)
  }

  /// The bytes that show a text, whatever is in the line: something may have erased the screen.
  public mutating func redraw(_ text: String) -> [UInt8] {
    guard let size else { return [] }
    shown = line(text, size)
    var script = TerminalScript()
    script.aside { script in
      script.countRowsFromTop()
      script.moveToRow(size.rows)
      script.write(shown)
    }
    return script.bytes
  }

  /// The bytes that adapt the line to a screen that has another size now.
  ///
  /// Where its row is now is not known, but it is below the cursor: all of that is erased. On a
  /// screen that has become too small the line is off afterwards.
  public mutating func resize(to size: ScreenSize, _ text: String) -> [UInt8] {
    guard self.size != nil else { return [] }
    var script = TerminalScript()
    resetRegion(&script)
    self.size = nil
    return script.bytes + Panel.eraseBelow(on: size) + enable(on: size, text)
  }

  /// The bytes that switch the line off, erase it, and give the whole screen back to the text.
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

  private func line(_ text: String, _ size: ScreenSize) -> StyledLine {
    let text = text.visibleForm.truncated(toWidth: size.columns)
    return StyledLine(isASCII ? text.asciiForm : text, .reversed)
      .padded(toWidth: size.columns, .reversed)
  }
}
