import TextTools

/// The cells of a terminal's screen, as the text that was shown has left them.
///
/// It behaves like xterm for what an ``EscapeFilter`` passes and for what this program draws
/// itself. What a panel covers can be painted again from it.
///
/// ## What is known
///
/// What was on the screen before the text is unknown, and where the cursor was. Both become known
/// when the device clears the screen and moves the cursor to a position, and when more lines were
/// shown than the screen has rows. Until then, the cursor counts as being in the last row: its
/// lines are known relative to each other.
public struct ScreenCells: Sendable {
  /// A position on the screen.
  struct Cell: Hashable, Sendable {
    /// A character with its marks; nil for none, because it was erased; empty for the second
    /// column of a wide character.
    var text: String?
    var rendition = Rendition()
  }

  struct Row: Hashable, Sendable {
    var cells: [Cell]
    var isKnown: Bool
  }

  /// What DECSC saves.
  struct Place: Hashable, Sendable {
    var row = 0
    /// Counted from 0; the number of columns if the next character wraps.
    var column = 0
    var rendition = Rendition()
    /// Whether rows count from the scroll region: DECOM.
    var isOrigin = false
    /// Whether ``row`` is that on the screen. Otherwise it is relative to the other rows.
    var hasRow = false
    var hasColumn = false
  }

  public private(set) var columns: Int
  /// The rows of the text. The program keeps the others for itself, above and below.
  public private(set) var frame: Range<Int>
  private(set) var screen: [Row]
  /// The screen that is not shown: the main or the alternate one.
  private var other: [Row]
  public private(set) var isAlternate = false
  private let hasAlternateScreen: Bool
  private(set) var place = Place()
  /// What is known of the shown screen, and of the other one.
  private var (facts, otherFacts) = (Facts(), Facts())
  /// The rows that scroll.
  private(set) var region: Range<Int>
  private(set) var wraps = true
  private(set) var inserts = false
  private(set) var tabStops: [Bool]
  private var last: Unicode.Scalar?
  /// Whether the device has named a position beyond the screen since it cleared it: it believes
  /// that the screen is larger.
  private(set) var isTooSmall = false
  /// The character sets that are restored with the cursor and with the saved one; nil for text that
  /// has passed an ``EscapeFilter``, which has none.
  var sets: CharacterSets?

  /// What is known of a screen besides its cells.
  private struct Facts: Sendable {
    /// What DECSC has saved, and ``scrolledCount`` at that time; nil for nothing so far.
    var save: (place: Place, scrolledCount: Int)?
    /// ``Place/hasRow`` when the other screen was shown.
    var hasRow = false
    /// Whether no text is below the cursor, so that the next row is empty also without
    /// ``Place/hasRow``.
    var isLast = false
    /// Whether no text is on the screen, so that the cursor's row does not matter.
    var isBlank = false
    /// The number of rows that have left the screen since its rows became unknown.
    var scrolledCount = 0
    /// The number of rows that have left the screen since the cursor was moved to a position.
    var undrawnCount = Int.max / 2
  }

  /// The maximum number of bytes of a character with its marks.
  private static let largestCharacter = 64

  /// Creates a screen of which nothing is known.
  ///
  /// - Parameters:
  ///   - frame: the rows of the text, which scroll; at least one.
  ///   - rows: the number of rows of the whole screen.
  ///   - hasAlternateScreen: whether the terminal has one. Otherwise it may do anything when the
  ///     device wants to show it.
  public init(
    frame: Range<Int>, rows: Int, columns: Int, hasAlternateScreen: Bool = true
  ) {
    self.hasAlternateScreen = hasAlternateScreen
    let columns = max(1, columns)
    self.columns = columns
    self.frame = frame
    let row = Row(cells: Array(repeating: Cell(), count: columns), isKnown: false)
    screen = Array(repeating: row, count: max(frame.upperBound, rows))
    other = screen
    region = frame
    tabStops = Self.tabStops(columns)
    place.row = frame.upperBound - 1
  }

  private static func tabStops(_ columns: Int) -> [Bool] {
    (0..<columns).map { $0 > 0 && $0.isMultiple(of: CursorPlace.tabDistance) }
  }

  public var rows: Int { screen.count }

  /// The row of the cursor, counted from 0.
  public var row: Int { place.row }

  /// What DECRC restores; nil if it is unknown where that is.
  var saved: Place? {
    guard let place = facts.save?.place, place.hasRow, place.hasColumn else { return nil }
    return place
  }

  /// Whether every cell is known, and the position of the cursor.
  public var isComplete: Bool {
    place.hasRow && place.hasColumn && screen[frame].allSatisfy(\.isKnown)
  }

  /// Whether the text may be anywhere on the screen, as a full-screen program draws it: since the
  /// cursor was moved to a position, fewer lines were shown than the screen has rows.
  ///
  /// The upper left corner does not count: who clears the screen goes there.
  public var isDrawn: Bool { isAlternate || !scrollsWhole || facts.undrawnCount < frame.count }

  /// Whether the device has set no scroll region.
  private var scrollsWhole: Bool { region == frame || region == 0..<rows }

  // MARK: Text

  /// Shows text: complete characters and sequences.
  public mutating func write(_ bytes: UnsafeRawBufferPointer) {
    for part in ScreenParts(bytes) {
      let repeated = last
      if part.kind != .text { last = nil }
      switch part.kind {
      case .text: write(text: part.bytes)
      case .tab: tab()
      case .backspace: moveTo(column: min(place.column, columns - 1) - 1)
      case .carriageReturn: (place.column, place.hasColumn) = (0, true)
      case .lineFeed: index()
      case .control: break
      case .style: if let sequence = part.sequence { place.rendition.apply(sequence.parameters) }
      case .mode, .edit, .motion:
        if let sequence = part.sequence {
          if sequence.final == "b" { last = repeated }
          obey(sequence)
        } else {
          obey(escape: part.bytes)
        }
      }
    }
  }

  /// Shows text.
  public mutating func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

  private static let ascii = (0..<128).map { String(Unicode.Scalar(UInt8($0))) }

  private mutating func write(text: UnsafeRawBufferPointer) {
    guard place.hasColumn else { return forget() }
    facts.isBlank = false
    let end = PlainText.printableEnd(in: text, from: 0)
    put(ascii: UnsafeRawBufferPointer(rebasing: text[..<end]))
    if end > 0 { last = Unicode.Scalar(text[end - 1]) }
    if end == text.count { return }
    for scalar in String(decoding: text[end...], as: UTF8.self).unicodeScalars {
      let width = scalar.displayWidth
      if width == 0 {
        addMark(scalar)
      } else {
        put(String(scalar), width: width)
        last = scalar
      }
    }
  }

  private mutating func put(ascii text: UnsafeRawBufferPointer) {
    var index = 0
    while index < text.count {
      let columns = makeRoom(forAtMost: text.count - index, each: 1)
      let rendition = place.rendition
      Self.ascii.withUnsafeBufferPointer { ascii in
        screen[place.row].cells.withUnsafeMutableBufferPointer { cells in
          for column in columns {
            cells[column] = Cell(text: ascii[Int(text[index])], rendition: rendition)
            index += 1
          }
        }
      }
    }
  }

  private mutating func put(_ text: String, width: Int) {
    guard width <= columns else { return }
    let column = makeRoom(forAtMost: 1, each: width).lowerBound
    screen[place.row].cells[column] = Cell(text: text, rendition: place.rendition)
    if width == 2 {
      screen[place.row].cells[column + 1] = Cell(text: "", rendition: place.rendition)
    }
  }

  /// Moves the cursor behind characters that will be written, as many as fit into the row but at
  /// least one, and returns their columns.
  private mutating func makeRoom(forAtMost count: Int, each width: Int) -> Range<Int> {
    if place.column + width > columns {
      if wraps {
        place.column = 0
        index()
      } else {
        place.column = columns - width
      }
    }
    let first = place.column
    let end = min(first + count * width, columns)
    if inserts { insertCells(end - first) }
    if isSplit(place.row, first) { blank(place.row, first - 1) }
    if isSplit(place.row, end) { blank(place.row, end) }
    place.column = end
    return first..<end
  }

  /// Whether a wide character begins before a column and ends in it.
  private func isSplit(_ row: Int, _ column: Int) -> Bool {
    column < columns && screen[row].cells[column].text?.isEmpty == true
  }

  /// Makes the remaining half of a wide character a space.
  private mutating func blank(_ row: Int, _ column: Int) { screen[row].cells[column].text = " " }

  private mutating func addMark(_ scalar: Unicode.Scalar) {
    var column = place.column - 1
    if column > 0, screen[place.row].cells[column].text?.isEmpty == true { column -= 1 }
    guard column >= 0, let text = screen[place.row].cells[column].text,
      text.utf8.count < Self.largestCharacter
    else { return }
    screen[place.row].cells[column].text = text + String(scalar)
  }

  /// Forgets the shown screen: what was done to it depends on what is unknown.
  mutating func forget() {
    forgetRows()
    (place.row, place.hasRow, place.hasColumn) = (region.upperBound - 1, false, false)
    // A row that is relative to others is unknown, too.
    let save = facts.save?.place.hasRow == true ? facts.save : nil
    facts = Facts(save: save)
  }

  private mutating func forgetRows() {
    for row in screen.indices { screen[row].isKnown = false }
  }

  // MARK: The cursor

  private mutating func moveTo(column: Int) { place.column = max(0, min(column, columns - 1)) }

  /// Records a row and a column that the device names. Who asks for the size names some that no
  /// screen has.
  mutating func note(row: Int = 0, column: Int = 0) {
    let isBeyond =
      row > rows && row < Self.questionForSize
      || column > columns && column < Self.questionForSize
    if isBeyond { isTooSmall = true }
  }

  private static let questionForSize = 500

  /// Moves to a column that is known then.
  mutating func move(toColumn column: Int) {
    moveTo(column: column)
    place.hasColumn = true
  }

  mutating func moveRight(_ count: Int) { moveTo(column: min(place.column, columns - 1) + count) }

  /// Moves to a row, which counts from the scroll region with DECOM.
  mutating func move(toRow row: Int) {
    if !place.hasRow {
      if facts.isBlank { facts.save = nil } else { forget() }
      place.hasRow = true
    }
    let bounds = place.isOrigin ? region : 0..<rows
    place.row = min(bounds.lowerBound + max(0, row), bounds.upperBound - 1)
    if place.row != 0, place.row != frame.lowerBound { facts.undrawnCount = 0 }
  }

  /// Moves up for a negative number of rows, at most to the edge of the scroll region.
  mutating func moveDown(_ count: Int) {
    // Only rows that were reached exist for certain.
    let reached = (region.upperBound - 1 - facts.scrolledCount)..<region.upperBound
    if !place.hasRow, !reached.contains(place.row + count) { return forget() }
    let isInside = count > 0 ? place.row < region.upperBound : place.row >= region.lowerBound
    let bounds = isInside ? region : 0..<rows
    place.row = max(
      count > 0 ? 0 : bounds.lowerBound,
      min(place.row + count, count > 0 ? bounds.upperBound - 1 : rows - 1))
    moveTo(column: place.column)
  }

  /// VPR: moves down, at most to the last row.
  mutating func moveDownFreely(_ count: Int) {
    guard place.hasRow else { return forget() }
    place.row = min(place.row + count, rows - 1)
    moveTo(column: place.column)
  }

  /// IND: moves down, or the rows of the region up.
  mutating func index() {
    if place.row == region.upperBound - 1 {
      scroll(1, from: region.lowerBound)
      screen[place.row].isKnown = place.hasRow || facts.isLast
      facts.scrolledCount += 1
      if scrollsWhole {
        if facts.scrolledCount >= region.count - 1 { place.hasRow = true }
        facts.undrawnCount += 1
      }
    } else if place.row < rows - 1 {
      place.row += 1
    }
  }

  /// RI: moves up, or the rows of the region down.
  mutating func reverseIndex() {
    guard place.hasRow else { return forget() }
    if place.row == region.lowerBound {
      scroll(-1, from: region.lowerBound)
      facts.undrawnCount = 0
    } else if place.row > 0 {
      place.row -= 1
    }
  }

  private mutating func tab() {
    guard place.column < columns else { return }
    let next = tabStops[(place.column + 1)...].firstIndex(of: true)
    place.column = next ?? columns - 1
  }

  /// CHT and CBT: moves to another tab stop, to the left for a negative number.
  mutating func moveTabs(_ count: Int) {
    for _ in 0..<min(abs(count), columns) {
      if count > 0 {
        tab()
      } else {
        moveTo(column: tabStops[..<min(place.column, columns - 1)].lastIndex(of: true) ?? 0)
      }
    }
  }

  /// HTS and TBC: sets or clears the tab stop at the cursor, or clears all.
  mutating func setTabStop(_ isSet: Bool) { tabStops[min(place.column, columns - 1)] = isSet }
  mutating func clearTabStops() { tabStops = Array(repeating: false, count: columns) }

  mutating func saveCursor() {
    facts.save = (place, facts.scrolledCount)
  }

  mutating func restoreCursor() {
    guard let save = facts.save else { return forget() }
    // Relative to other rows, it is only right as long as these stay where they are.
    if !save.place.hasRow, save.scrolledCount != facts.scrolledCount {
      forget()
      place.rendition = save.place.rendition
    } else {
      place = save.place
      place.row = min(place.row, rows - 1)
      place.column = min(place.column, columns)
    }
  }

  // MARK: Modes

  mutating func setWrap(_ isOn: Bool) { wraps = isOn }
  mutating func setInsert(_ isOn: Bool) { inserts = isOn }

  mutating func setOrigin(_ isOn: Bool) {
    place.isOrigin = isOn
    move(toRow: 0)
    move(toColumn: 0)
  }

  /// DECSTBM: sets the scroll region, and moves to the upper left corner.
  mutating func setRegion(_ first: Int, _ last: Int) {
    let (top, bottom) = (max(1, first) - 1, min(last > 0 ? last : rows, rows))
    guard bottom - top > 1 else { return }
    region = top..<bottom
    move(toRow: 0)
    move(toColumn: 0)
  }

  /// Shows the main or the alternate screen.
  ///
  /// - Parameter restores: whether ``restoreCursor()`` follows.
  mutating func showAlternate(_ isOn: Bool, andRestores restores: Bool = false) {
    guard hasAlternateScreen else { return forget() }
    guard isOn != isAlternate else { return }
    facts.hasRow = place.hasRow
    swap(&screen, &other)
    swap(&facts, &otherFacts)
    isAlternate = isOn
    // Its rows are relative to a cursor that has moved meanwhile.
    if !restores, !facts.hasRow, !facts.isBlank { forgetRows() }
  }

  /// The main screen while the alternate one is shown, with the cursor where DECRC puts it; nil if
  /// not all of it is known.
  var main: ScreenCells? {
    guard isAlternate else { return nil }
    var main = self
    main.showAlternate(false, andRestores: true)
    main.restoreCursor()
    return main.isComplete ? main : nil
  }

  /// Erases the shown screen.
  mutating func clear() {
    let erased = erasedRow
    for row in screen.indices { screen[row] = erased }
    (facts.isLast, facts.isBlank) = (true, true)
    isTooSmall = false
    // There is no other row to which it could be relative.
    if !place.hasRow { (place.row, facts.scrolledCount) = (region.upperBound - 1, 0) }
  }

  // MARK: Cells

  /// Erases cells of a row.
  mutating func erase(_ row: Int, _ range: Range<Int>) {
    if range.isEmpty { return }
    if isSplit(row, range.lowerBound) { blank(row, range.lowerBound - 1) }
    if isSplit(row, range.upperBound) { blank(row, range.upperBound) }
    let cell = erasedCell
    if cell != Cell() { facts.isBlank = false }
    for column in range { screen[row].cells[column] = cell }
    if range.count == columns { screen[row].isKnown = true }
  }

  /// The column of the cursor, which may be behind the last.
  var cellColumn: Int { min(place.column, columns - 1) }

  /// EL: erases to the end of the row (0), from its beginning (1), or all of it (2).
  mutating func eraseLine(_ part: Int) {
    let column = cellColumn
    switch part {
    case 0: erase(place.row, (place.hasColumn ? column : columns - 1)..<columns)
    case 1: erase(place.row, 0..<(place.hasColumn ? column + 1 : 1))
    case 2: erase(place.row, 0..<columns)
    default: break
    }
  }

  /// ED: erases to the end of the screen (0), from its beginning (1), or all of it (2).
  mutating func eraseScreen(_ part: Int) {
    switch part {
    case 0:
      for row in (place.row + 1)..<max(rows, place.row + 1) { erase(row, 0..<columns) }
      eraseLine(0)
      facts.isLast = true
    case 1:
      for row in 0..<place.row { erase(row, 0..<columns) }
      eraseLine(1)
    case 2: clear()
    default: break
    }
  }

  /// ECH: erases cells from the cursor on.
  mutating func eraseCells(_ count: Int) {
    guard place.hasColumn else { return forget() }
    erase(place.row, cellColumn..<min(columns, cellColumn + count))
  }

  /// ICH: moves the cells from the cursor on to the right.
  mutating func insertCells(_ count: Int) { moveCells(inserting: min(count, columns - cellColumn)) }

  /// DCH: moves the cells behind the cursor to the left.
  mutating func deleteCells(_ count: Int) { moveCells(deleting: min(count, columns - cellColumn)) }

  private mutating func moveCells(inserting count: Int = 0, deleting gone: Int = 0) {
    guard place.hasColumn else { return forget() }
    let (row, column) = (place.row, cellColumn)
    if isSplit(row, column) {
      blank(row, column - 1)
      blank(row, column)
    }
    if isSplit(row, column + gone) { blank(row, column + gone) }
    let erased = erasedCell
    var cells = screen[row].cells
    cells.removeSubrange(column..<(column + gone))
    cells.append(contentsOf: Array(repeating: erased, count: gone))
    cells.insert(contentsOf: Array(repeating: erased, count: count), at: column)
    // Half of a wide character may be beyond the edge.
    if cells.count > columns, cells[columns].text?.isEmpty == true { cells[columns - 1].text = " " }
    screen[row].cells = Array(cells.prefix(columns))
  }

  // MARK: Rows

  private var erasedCell: Cell { Cell(text: nil, rendition: place.rendition.ofErasedCells) }

  private var erasedRow: Row {
    Row(cells: Array(repeating: erasedCell, count: columns), isKnown: true)
  }

  /// Moves the rows of the region from a row on up, or down for a negative number.
  private mutating func scroll(_ number: Int, from top: Int) {
    let count = min(abs(number), region.upperBound - top)
    let bottom = region.upperBound - count
    let (gone, new) = number > 0 ? (top, bottom) : (bottom, top)
    screen.removeSubrange(gone..<(gone + count))
    screen.insert(contentsOf: Array(repeating: erasedRow, count: count), at: new)
  }

  /// IL and DL: inserts rows at that of the cursor, or deletes them for a negative number.
  mutating func insertRows(_ count: Int) {
    guard place.hasRow else { return forget() }
    guard region.contains(place.row) else { return }
    scroll(-count, from: place.row)
    // Not every terminal moves the cursor to the first column.
    if place.column > 0 { (place.column, place.hasColumn) = (0, false) }
  }

  /// SU, or SD for a negative number: moves the rows of the region.
  mutating func scroll(_ count: Int) {
    guard place.hasRow else { return forget() }
    scroll(count, from: region.lowerBound)
  }

  /// REP: repeats the last character. After anything else, not every terminal does. Programs repeat
  /// within a row.
  mutating func repeatLast(_ count: Int) {
    guard let last, place.hasColumn, count <= columns else { return forget() }
    for _ in 0..<count { put(String(last), width: last.displayWidth) }
  }

  /// DECALN: fills the screen with E.
  mutating func fill() {
    region = 0..<rows
    let cell = Cell(text: "E")
    screen = Array(
      repeating: Row(cells: Array(repeating: cell, count: columns), isKnown: true), count: rows)
    (place.row, place.column) = (0, 0)
    (place.hasRow, place.hasColumn, facts.isBlank, facts.undrawnCount) = (true, true, false, 0)
  }

  // MARK: The size

  /// Begins with an empty row, below which there is no text, and the cursor in its first column.
  public mutating func beginRow() {
    (place.hasColumn, facts.isLast) = (true, true)
    erase(place.row, 0..<columns)
  }

  /// Forgets everything but the terminal's state.
  ///
  /// - Parameter state: the sequences that bring a terminal into that state.
  public mutating func forgetAll(in state: [UInt8]) {
    let tabStops = tabStops
    self = ScreenCells(
      frame: frame, rows: rows, columns: columns, hasAlternateScreen: hasAlternateScreen)
    self.tabStops = tabStops
    write(state)
    if region == 0..<rows { region = frame }
    forget()
  }

  /// Forgets the screen that is not shown: another program may have changed it.
  public mutating func forgetOther() {
    for row in other.indices { other[row].isKnown = false }
    otherFacts = Facts()
  }

  /// Whether a text may move the cursor to a position, set a scroll region, or show the other
  /// screen.
  static func mayBeDrawn(by text: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while let escape = PlainText.index(of: .escape, in: text, from: index, to: text.count) {
      var parts = ScreenParts(UnsafeRawBufferPointer(rebasing: text[escape...]))
      guard let part = parts.next() else { break }
      index = escape + part.bytes.count
      guard part.kind == .motion, let sequence = part.sequence else { continue }
      switch sequence.final {
      case "H", "f", "d", "r": return true
      case "h": if [47, 1_047, 1_049].contains(where: sequence.concerns(mode:)) { return true }
      default: break
      }
    }
    return false
  }

  /// Changes the size. Rows keep their distance from the top, unless the cursor would be below the
  /// last one.
  ///
  /// - Parameter keepsLines: whether the terminal shows what only lines have determined as it was.
  ///   Many terminals break lines again.
  public mutating func resize(
    frame: Range<Int>, rows: Int, columns: Int, keepsLines: Bool = false
  ) {
    let (rows, columns) = (max(frame.upperBound, rows), max(1, columns))
    guard rows != self.rows || columns != self.columns || frame != self.frame else { return }
    let cut = max(0, place.row - (frame.upperBound - 1))
    let isKept = isDrawn || keepsLines
    let isLast = isEmptyBelow
    screen = Self.fitted(screen.dropFirst(cut), rows, columns)
    other = Self.fitted(other[...], rows, columns)
    self.columns = columns
    self.frame = frame
    tabStops = Self.tabStops(columns)
    region = frame
    place.row -= cut
    place.column = min(place.column, columns - 1)
    if isAlternate {
      forgetOther()
    } else if !isKept {
      forget()
      facts.isLast = isLast
    }
  }

  /// Whether no text is below the cursor.
  private var isEmptyBelow: Bool {
    (place.hasRow || facts.isLast)
      && screen[min(place.row + 1, frame.upperBound)..<frame.upperBound].allSatisfy {
        $0.isKnown && $0.cells.allSatisfy { $0.text == nil }
      }
  }

  private static func fitted(_ screen: ArraySlice<Row>, _ rows: Int, _ columns: Int) -> [Row] {
    let blank = Cell()
    var fitted = screen.prefix(rows).map { row in
      var row = row
      if columns < row.cells.count {
        if row.cells[columns].text?.isEmpty == true { row.cells[columns - 1].text = " " }
        row.cells.removeSubrange(columns...)
      }
      row.cells += Array(repeating: blank, count: columns - row.cells.count)
      return row
    }
    while fitted.count < rows {
      fitted.append(Row(cells: Array(repeating: blank, count: columns), isKnown: true))
    }
    return fitted
  }
}
