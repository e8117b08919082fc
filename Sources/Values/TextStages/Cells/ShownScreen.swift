/// What the text has left on a screen.
///
/// It is needed when a panel is opened or closed, or somebody joins a session, not for every byte.
/// So shown text is only kept, and read when it is needed. Of lines that nobody asks about, the
/// last ones are enough; what a full-screen program draws is read before it would be dropped.
public struct ShownScreen {
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
  public var state: () -> [UInt8] = { [] }

  /// The number of bytes that are kept in any case.
  private static let limit = 65_536

  /// Creates a screen of which only the cursor's row is known: it is empty.
  public init(rows: Int, columns: Int, hasAlternateScreen: Bool = true) {
    let rows = max(1, rows)
    cells = ScreenCells(
      frame: 0..<rows, rows: rows, columns: columns, hasAlternateScreen: hasAlternateScreen)
    cells.beginRow()
  }

  /// Adds shown text. What it has changed in the device's state must be known before.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    recent.bytes.append(contentsOf: bytes)
    if recent.bytes.count > Self.limit { dropIfPossible() }
  }

  /// Adds shown text.
  public mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  /// Whether a full-screen program draws.
  public var isDrawn: Bool {
    mutating get {
      guard cells.isDrawn || recent.mayDraw() else { return false }
      readText()
      return cells.isDrawn
    }
  }

  private mutating func dropIfPossible() {
    if isDrawn { return }
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
  public mutating func read() -> ScreenCells? {
    if state().isEmpty { forget() }
    readText()
    return cells.isComplete ? cells : nil
  }

  /// The sequences that paint the text below the cursor, as far as it is known.
  public mutating func readBelow() -> [UInt8] {
    _ = read()
    return cells.paintedBelow
  }

  /// The cells if a full-screen program draws, and all are known.
  public mutating func readDrawn() -> ScreenCells? { isDrawn ? read() : nil }

  /// Forgets the text: something else has changed the screen.
  public mutating func forget() {
    cells.forgetAll(in: state())
    earlier.begin(in: [])
    recent.begin(in: [])
    hasGap = false
  }

  /// Changes the size, and the rows of the text.
  ///
  /// - Parameter keepsLines: whether lines stay, too, not only what full-screen programs draw.
  public mutating func resize(
    _ frame: Range<Int>, rows: Int, columns: Int, keepsLines: Bool
  ) {
    readText()
    cells.resize(frame: frame, rows: rows, columns: columns, keepsLines: keepsLines)
  }

  /// The rows of the text.
  public var frame: Range<Int> { cells.frame }

  /// Sets the cells, which were drawn again.
  public mutating func restore(_ cells: ScreenCells) {
    forget()
    self.cells = cells
    self.cells.forgetOther()
  }
}
