/// Lines on the terminal's alternate screen, which hides the text until the page is closed.
///
/// The text is then as it was: a terminal keeps the two screens apart. The alternate screen has no
/// scrollback. The modes and the scroll region belong to both screens, so lines are drawn at
/// absolute positions, and nothing scrolls.
public struct AlternatePage: Sendable {
  /// The lines on the screen; nil while the page is closed.
  private var lines: [StyledLine]?
  private var size = ScreenSize(rows: 0, columns: 0)

  /// Creates a closed page.
  public init() {}

  /// Whether the terminal shows the alternate screen.
  public var isOpen: Bool { lines != nil }

  /// The bytes that leave the alternate screen, from any state. The cursor is then where it was
  /// in the text.
  public static let leaving = "\u{1B}[?1049l\u{1B}8"

  /// The bytes that show lines on the screen, instead of the present ones. The cursor is in the
  /// first column of the first.
  ///
  /// - Parameter size: the size of the whole screen. Lines that do not fit are cut off.
  public mutating func show(_ lines: [StyledLine], on size: ScreenSize) -> [UInt8] {
    let next = lines.prefix(size.rows).map { $0.clipped(toWidth: size.columns) }
    guard next != self.lines || size != self.size else { return [] }
    var script = TerminalScript()
    if !isOpen {
      script.saveCursor()
      script.write("\u{1B}[?1049h")
    }
    (self.lines, self.size) = (next, size)
    script.countRowsFromTop()
    // See ``TerminalScript/aside(_:)``.
    script.write("\u{1B}[?7l\u{1B}[0m\u{F}\u{1B}(B")
    script.moveToRow(1)
    script.eraseToEndOfScreen()
    for (row, line) in next.enumerated() {
      script.moveToRow(row + 1)
      script.write(line)
    }
    script.write("\u{1B}[?7h")
    script.moveToRow(1)
    return script.bytes
  }

  /// The bytes that show the text again; none if the page is closed.
  public mutating func close() -> [UInt8] {
    guard isOpen else { return [] }
    lines = nil
    return Array(Self.leaving.utf8)
  }

  /// Notes that the terminal shows the text again, without bytes.
  public mutating func forget() { lines = nil }
}
