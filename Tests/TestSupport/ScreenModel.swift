public import TerminalWidgets
import TextTools

/// A small terminal emulator. It behaves like xterm for the sequences that it knows, and
/// reports the others.
public struct ScreenModel {
  /// A character on the screen. An empty cell follows a wide one.
  public struct Cell: Hashable {
    public var character: Character?
    public var attributes: Set<Int>

    public init(character: Character? = " ", attributes: Set<Int> = []) {
      self.character = character
      self.attributes = attributes
    }
  }

  /// The state that DECSC saves.
  public struct Place: Hashable {
    public var row = 0
    public var column = 0
    /// Whether the next character goes to the next row.
    public var wrapIsPending = false
    public var attributes: Set<Int> = []
    public var isOrigin = false
    public var isLineDrawing = false
    public var isShiftedOut = false
  }

  public private(set) var size: ScreenSize
  public private(set) var grid: [[Cell]]
  public private(set) var scrollback: [[Cell]] = []
  public var place = Place()
  private var saved = Place()
  /// What was saved on the screen that is not shown.
  private var otherSaved = Place()
  /// The rows of the text while the alternate screen is shown.
  private var textScreen: [[Cell]]?
  /// The rows that scroll.
  public private(set) var region: Range<Int>
  public private(set) var wraps = true
  public private(set) var inserts = false
  public private(set) var isCursorShown = true
  public private(set) var unknown: [String] = []
  var pending: [Unicode.Scalar] = []

  public init(_ size: ScreenSize) {
    self.size = size
    region = 0..<size.rows
    grid = Array(repeating: Self.blank(size.columns), count: size.rows)
  }

  public static func blank(_ columns: Int) -> [Cell] { Array(repeating: Cell(), count: columns) }

  /// A row's text, without spaces at the end.
  public static func text(of row: [Cell]) -> String {
    var end = row.count
    while end > 0, (row[end - 1].character ?? " ") == " " { end -= 1 }
    var text = ""
    for cell in row[..<end] {
      if let character = cell.character { text.append(character) }
    }
    return text
  }

  /// The text of all rows so far, down to the cursor's row.
  public var history: [String] { (scrollback + grid[...place.row]).map(Self.text) }

  /// The rows below the cursor's row.
  public var below: [[Cell]] { Array(grid[(place.row + 1)...]) }

  mutating func report(_ sequence: String) { unknown.append(sequence) }

  mutating func print(_ typed: Character) {
    // In the other character set, letters are parts of boxes.
    let isDrawing = place.isLineDrawing || place.isShiftedOut
    let character = isDrawing && typed.isLetter ? "#" : typed
    let width = character.displayWidth
    if place.wrapIsPending && wraps {
      place.column = 0
      index()
    }
    place.wrapIsPending = false
    if place.column + width > size.columns {
      if wraps {
        place.column = 0
        index()
      } else {
        place.column = size.columns - width
      }
    }
    guard place.column >= 0 else { return }
    if inserts {
      grid[place.row].insert(contentsOf: Self.blank(width), at: place.column)
      grid[place.row].removeLast(width)
    }
    grid[place.row][place.column] = Cell(character: character, attributes: place.attributes)
    if width == 2 {
      grid[place.row][place.column + 1] = Cell(character: nil, attributes: place.attributes)
    }
    place.column += width
    if place.column >= size.columns {
      place.column = size.columns - 1
      place.wrapIsPending = wraps
    }
  }

  mutating func index() {
    place.wrapIsPending = false
    if place.row == region.upperBound - 1 {
      let gone = grid.remove(at: region.lowerBound)
      if region.lowerBound == 0 { scrollback.append(gone) }
      grid.insert(Self.blank(size.columns), at: region.upperBound - 1)
    } else if place.row < size.rows - 1 {
      place.row += 1
    }
  }

  mutating func tab() {
    place.column = min((place.column / 8 + 1) * 8, size.columns - 1)
  }

  mutating func reverseIndex() {
    place.wrapIsPending = false
    if place.row == region.lowerBound {
      grid.remove(at: region.upperBound - 1)
      grid.insert(Self.blank(size.columns), at: region.lowerBound)
    } else if place.row > 0 {
      place.row -= 1
    }
  }

  mutating func moveDown(_ rows: Int) {
    place.wrapIsPending = false
    let isInside = region.contains(place.row)
    let bounds = isInside ? region : 0..<size.rows
    place.row = min(max(bounds.lowerBound, place.row + rows), bounds.upperBound - 1)
  }

  mutating func move(toRow row: Int, column: Int) {
    let first = place.isOrigin ? region.lowerBound : 0
    place.wrapIsPending = false
    place.row = min(max(0, row + first), size.rows - 1)
    place.column = min(max(0, column), size.columns - 1)
  }

  mutating func eraseToEndOfLine() { erase(from: place.column) }

  mutating func eraseLine() { erase(from: 0) }

  private mutating func erase(from start: Int) {
    // Erased cells get the colour of the attributes. They are plain only if those are plain.
    for column in start..<size.columns {
      grid[place.row][column] = Cell(attributes: place.attributes)
    }
    place.wrapIsPending = false
  }

  mutating func eraseToEndOfScreen() {
    eraseToEndOfLine()
    for row in (place.row + 1)..<max(place.row + 1, size.rows) {
      grid[row] = Self.blank(size.columns)
    }
  }

  mutating func eraseScreen() {
    grid = Array(repeating: Self.blank(size.columns), count: size.rows)
  }

  mutating func eraseCells(_ count: Int) {
    for column in place.column..<min(size.columns, place.column + count) {
      grid[place.row][column] = Cell(attributes: place.attributes)
    }
  }

  mutating func insertLines(_ count: Int) {
    guard region.contains(place.row) else { return }
    for _ in 0..<count {
      grid.remove(at: region.upperBound - 1)
      grid.insert(Self.blank(size.columns), at: place.row)
    }
    move(toRow: place.row, column: 0)
  }

  mutating func deleteLines(_ count: Int) {
    guard region.contains(place.row) else { return }
    for _ in 0..<count {
      grid.remove(at: place.row)
      grid.insert(Self.blank(size.columns), at: region.upperBound - 1)
    }
    move(toRow: place.row, column: 0)
  }

  mutating func enterAlternateScreen() {
    guard textScreen == nil else { return }
    save()
    swap(&saved, &otherSaved)
    textScreen = grid
    grid = Array(repeating: Self.blank(size.columns), count: size.rows)
  }

  mutating func leaveAlternateScreen() {
    if let textScreen {
      grid = textScreen
      self.textScreen = nil
      swap(&saved, &otherSaved)
      let region = region
      restore()
      resize(to: size)
      self.region = region
      return
    }
    restore()
  }

  /// Whether the alternate screen is shown.
  public var isAlternate: Bool { textScreen != nil }

  mutating func save() { saved = place }
  mutating func restore() { place = saved }
  mutating func setCursorShown(_ isShown: Bool) { isCursorShown = isShown }
  mutating func setWrap(_ isOn: Bool) { wraps = isOn }
  mutating func setInsert(_ isOn: Bool) { inserts = isOn }

  mutating func setRegion(_ rows: Range<Int>) {
    guard rows.count >= 2 else { return }
    region = rows
    move(toRow: 0, column: 0)
  }

  /// Changes the size. Rows below the cursor are removed first, then rows at the top move into
  /// the scrollback. The text is not reflowed. The scroll region is reset, and the saved
  /// position stays unchanged.
  public mutating func resize(to size: ScreenSize) {
    defer { region = 0..<size.rows }
    if textScreen != nil {
      // The text is fitted when it is shown again.
      grid = Array(repeating: Self.blank(size.columns), count: size.rows)
      (place.row, place.column) = (0, 0)
      self.size = size
      return
    }
    while grid.count > size.rows {
      if place.row < grid.count - 1 {
        grid.removeLast()
      } else {
        scrollback.append(grid.removeFirst())
        place.row -= 1
      }
    }
    while grid.count < size.rows { grid.append(Self.blank(self.size.columns)) }
    grid = grid.map { Array(($0 + Self.blank(size.columns)).prefix(size.columns)) }
    place.column = min(place.column, size.columns - 1)
    self.size = size
  }
}
