import TerminalWidgets
import TextStages

/// What the text has left on the terminal's screen.
///
/// It is needed when a panel is opened or closed, not for every byte. So shown text is only kept,
/// and read when it is needed. Of lines that nobody asks about, the last ones are enough; what a
/// full-screen program draws is read before it would be dropped.
struct ShownScreen {
  /// Shown text, and what brings a terminal into the state before it.
  private struct Text {
    var state: [UInt8] = []
    var bytes: [UInt8] = []
    private var checkedCount = 0
    private var draws = false

    mutating func begin(in state: [UInt8]) {
      bytes.removeAll(keepingCapacity: true)
      (self.state, checkedCount, draws) = (state, 0, false)
    }

    /// Whether it may move the cursor to a position, set a scroll region, or show the other screen.
    mutating func mayDraw() -> Bool {
      if !draws {
        bytes.withUnsafeBytes {
          draws = ScreenCells.mayBeDrawn(by: UnsafeRawBufferPointer(rebasing: $0[checkedCount...]))
        }
      }
      checkedCount = bytes.count
      return draws
    }
  }

  private var cells: ScreenCells
  /// The text before ``recent``, if that alone may not be enough.
  private var earlier = Text()
  private var recent = Text()
  /// Whether text between the cells and ``earlier`` was dropped.
  private var hasGap = false
  /// Returns what brings a terminal into the device's state; empty if that is unknown.
  var state: () -> [UInt8] = { [] }

  /// The number of bytes that are kept in any case.
  static let limit = 65_536

  /// Creates a screen of which only the cursor's row is known: it is empty.
  init(_ size: ScreenSize, hasAlternateScreen: Bool = true) {
    let rows = max(1, size.rows)
    cells = ScreenCells(
      frame: 0..<rows, rows: rows, columns: size.columns, hasAlternateScreen: hasAlternateScreen)
    cells.beginRow()
  }

  /// Adds shown text. What it has changed in the device's state must be known before.
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    recent.bytes.append(contentsOf: bytes)
    if recent.bytes.count > Self.limit { dropIfPossible() }
  }

  /// Adds shown text.
  mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  private mutating func dropIfPossible() {
    if cells.isDrawn || recent.mayDraw() { return readText() }
    hasGap = hasGap || !earlier.bytes.isEmpty
    swap(&earlier, &recent)
    recent.begin(in: state())
  }

  private mutating func readText() {
    if hasGap {
      cells.forgetAll(in: earlier.state)
      hasGap = false
    }
    cells.write(earlier.bytes)
    cells.write(recent.bytes)
    earlier.begin(in: [])
    recent.begin(in: [])
  }

  /// The cells; nil if not all are known.
  mutating func read() -> ScreenCells? {
    if state().isEmpty { forget() }
    readText()
    return cells.isComplete ? cells : nil
  }

  /// The sequences that paint the text below the cursor, as far as it is known.
  mutating func readBelow() -> [UInt8] {
    _ = read()
    return cells.paintedBelow
  }

  /// The cells if a full-screen program draws, and all are known.
  mutating func readDrawn() -> ScreenCells? {
    guard cells.isDrawn || recent.mayDraw(), let cells = read(), cells.isDrawn else { return nil }
    return cells
  }

  /// Forgets the text: something else has changed the screen.
  mutating func forget() {
    cells.forgetAll(in: state())
    earlier.begin(in: [])
    recent.begin(in: [])
    hasGap = false
  }

  /// Changes the size, and the rows of the text.
  ///
  /// - Parameter keepsLines: whether lines stay, too, not only what full-screen programs draw.
  mutating func resize(_ frame: Range<Int>, _ size: ScreenSize, keepsLines: Bool) {
    readText()
    cells.resize(
      frame: frame, rows: size.rows, columns: size.columns, keepsLines: keepsLines)
  }

  /// The rows of the text.
  var frame: Range<Int> { cells.frame }

  /// Sets the cells, which were drawn again.
  mutating func restore(_ cells: ScreenCells) {
    forget()
    self.cells = cells
    self.cells.forgetOther()
  }
}
