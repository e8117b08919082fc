import TextTools

/// The open line of a device, as a screen has it.
///
/// Of a corrected typing error, and of text that a device writes over its own text, only what is
/// seen at the end is in it.
///
/// - A line has no right edge. A device that wraps its rows with a blank and CR at the edge of
///   ``screenWidth``, as readline does, goes on in the same line.
/// - A move beyond the text adds blanks only if text follows, at most ``farthestGap``.
/// - What is drawn in another row follows after a blank. What precedes it can no longer change.
struct LiveLine: Sendable {
  /// The text, in UTF-8. Of a row that is edited, only what precedes it.
  private var text: [UInt8] = []
  /// The offset of the row in which the cursor is.
  private var row = 0
  /// Whether a blank must precede the next text, because it is in another row.
  private var isApart = false
  /// Whether a CR has moved the cursor to the first column of the row.
  private(set) var isReturned = false
  /// Whether the row was changed before its end, so that ``cells`` has its text. The cursor of any
  /// other row is at its end, or returned.
  private var isEdited = false
  /// The columns of the edited row: a character, or nil for each further column of a wide
  /// character or a tab.
  private var cells: [Character?] = []
  /// The column of the cursor in ``cells``.
  private var column = 0
  private var savedColumn: Int?
  /// Whether text is inserted: IRM.
  private var inserts = false

  /// The number of columns of a screen at which a device wraps its rows.
  static let screenWidth = 80
  /// The maximum number of columns between the text and the cursor.
  static let farthestGap = 255
  /// The length of a row beyond which what follows is another row.
  static let longestRow = 4_096
  /// The maximum size of a character with its marks, in bytes.
  private static let largestCharacter = 64

  /// The approximate size of the line, in bytes.
  var count: Int { text.count + cells.count }

  /// Whether nothing is in the line.
  var isEmpty: Bool { count == 0 }

  /// Calls a closure with the text, in UTF-8. It has no control characters except tabs.
  func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard isEdited else { return text.withUnsafeBytes(body) }
    return (text + rowText.utf8).withUnsafeBytes(body)
  }

  private var rowText: String { String(cells.compactMap { $0 }) }

  /// Begins an empty line.
  mutating func clear() {
    text.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    (row, isApart, isReturned, isEdited, savedColumn) = (0, false, false, false, nil)
  }

  // MARK: Text

  /// Writes complete characters, at least one.
  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    if isReturned { edit() }
    guard isEdited else { return append(bytes) }
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { put(scalar) }
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if isApart {
      text.append(UInt8(ascii: " "))
      (isApart, row) = (false, text.count)
    }
    text.append(contentsOf: bytes)
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = scalar.displayWidth
    guard width > 0 else { return attach(scalar) }
    if cells.count >= Self.longestRow { continueInNextRow() }
    fillGap()
    if inserts { insertBlanks(width) }
    if scalar == " ", column == cells.count - 1 {
      split(at: column)
      cells.removeLast()
      column += 1
      return
    }
    for place in column..<(column + width) {
      if place < cells.count { split(at: place) } else { cells.append(nil) }
      cells[place] = place == column ? Character(scalar) : nil
    }
    column += width
  }

  /// Adds a mark, which has no width, to the character before the cursor.
  private mutating func attach(_ mark: Unicode.Scalar) {
    guard let place = cells.prefix(column).lastIndex(where: { $0 != nil }),
      let character = cells[place], character.utf8.count < Self.largestCharacter
    else { return }
    let joined = String(character) + String(Character(mark))
    if joined.count == 1 { cells[place] = Character(joined) }
  }

  /// Moves to the next tab stop. At the end of the text, the tab becomes part of it.
  mutating func tab() {
    if isReturned { edit() }
    guard isEdited else { return withUnsafeBytes(of: UInt8.tab) { append($0) } }
    putTab()
  }

  private mutating func putTab() {
    let stop = CursorPlace.tabStop(after: column)
    defer { column = stop }
    guard column >= cells.count else { return }
    fillGap()
    cells.append("\t")
    cells.append(contentsOf: repeatElement(nil, count: stop - column - 1))
  }

  // MARK: Columns

  /// Divides the row into columns, because it changes before its end.
  private mutating func edit() {
    if !isEdited, text.count - row > Self.longestRow { leaveRow() }
    if isApart { append(UnsafeRawBufferPointer(start: nil, count: 0)) }
    if !isEdited {
      let content = String(decoding: text[row...], as: UTF8.self)
      text.removeSubrange(row...)
      (isEdited, column) = (true, 0)
      let inserts = inserts
      self.inserts = false
      for scalar in content.unicodeScalars { if scalar == "\t" { putTab() } else { put(scalar) } }
      self.inserts = inserts
    }
    if isReturned { column = 0 }
    isReturned = false
  }

  /// Makes blanks of a character of several columns, because one of them changes.
  private mutating func split(at place: Int) {
    var (start, end) = (place, place + 1)
    while start > 0, cells[start] == nil { start -= 1 }
    while end < cells.count, cells[end] == nil { end += 1 }
    if end - start > 1 { blank(start..<end) }
  }

  private mutating func blank(_ places: Range<Int>) {
    for place in places { cells[place] = " " }
  }

  private mutating func fillGap() {
    if column > cells.count {
      cells.append(contentsOf: repeatElement(" ", count: column - cells.count))
    }
  }

  private mutating func insertBlanks(_ count: Int) {
    guard column < cells.count else { return }
    split(at: column)
    cells.insert(contentsOf: repeatElement(" ", count: count), at: column)
  }

  // MARK: Functions

  /// CR: moves the cursor to the first column.
  mutating func returnCursor() {
    if isReturned { return }
    if isEmpty {
      column = 0
    } else if endsAtEdge {
      if isEdited { cells.removeLast() } else { text.removeLast() }
      continueInNextRow()
    } else {
      isReturned = true
    }
  }

  /// Goes on in the next row without a blank.
  private mutating func continueInNextRow() {
    let wasEdited = isEdited
    leaveRow()
    isApart = false
    if wasEdited { edit() }
  }

  /// Whether the row is as long as the screen is wide, with a blank behind it.
  private var endsAtEdge: Bool {
    let length = Self.screenWidth + 1
    if isEdited { return column == length && cells.count == length && cells.last == " " }
    return text.last == UInt8(ascii: " ") && text.count - row >= length
      && String(decoding: text[row...], as: UTF8.self).displayWidth == length
  }

  /// BS: moves the cursor back by one column.
  mutating func backspace() {
    edit()
    move(by: -1)
  }

  private mutating func move(by count: Int) { move(to: column + count) }

  private mutating func move(to place: Int) {
    column = max(0, min(place, max(column, cells.count + Self.farthestGap)))
  }

  /// Moves the cursor to another row: what the line has so far stays.
  mutating func leaveRow() {
    text += rowText.utf8
    cells.removeAll(keepingCapacity: true)
    (isEdited, isReturned, savedColumn) = (false, false, nil)
    isApart = text.last.map { $0 != UInt8(ascii: " ") && $0 != .tab } ?? false
    row = text.count
  }

  /// An escape sequence.
  ///
  /// - Parameter bytes: the complete sequence, with its ESC.
  mutating func handle(escape bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 2 else { return }
    switch Unicode.Scalar(bytes[1]) {
    case "7": save()
    case "8": restore()
    // IND, NEL, RI, RIS.
    case "D", "E", "M", "c": leaveRow()
    default: break
    }
  }

  private mutating func save() {
    edit()
    savedColumn = column
  }

  private mutating func restore() {
    guard let savedColumn else { return }
    edit()
    column = savedColumn
  }

  /// A control sequence. What it does is in ECMA-48, 8.3.
  mutating func handle(_ sequence: ControlSequence) {
    guard sequence.intermediate == nil else { return }
    let number = sequence.parameters.first
    let count = max(1, number)
    switch sequence.function {
    case .savesCursor: return save()
    case .restoresCursor: return restore()
    case .modes(isPrivate: false, let areOn):
      if sequence.parameters.contains(where: { $0.number == 4 }) { inserts = areOn }
      return
    case .modes(isPrivate: true, _):
      if sequence.concerns(mode: 1049) || sequence.concerns(mode: 47) { leaveRow() }
      return
    case .draws: break
    default: return
    }
    switch sequence.final {
    // At the end of the text, nothing is erased.
    case "K" where number == 0 && !isEdited && !isReturned,
      "J" where number == 0 && !isEdited && !isReturned:
      return
    // Who clears the screen begins another one.
    case "J" where number > 0: return leaveRow()
    case "A", "B", "E", "F", "H", "d", "e", "f", "r": return leaveRow()
    case "L", "M", "S", "T": return
    default: edit()
    }
    switch sequence.final {
    case "@": insertBlanks(min(count, Self.farthestGap))
    case "C", "a": move(by: count)
    case "D": move(by: -count)
    case "G", "`": move(to: count - 1)
    case "I":
      for _ in 0..<min(count, Self.farthestGap) { move(to: CursorPlace.tabStop(after: column)) }
    case "Z": for _ in 0..<min(count, column) { move(to: CursorPlace.tabStop(before: column)) }
    case "J", "K": erase(number)
    case "P": erase(column..<(column + count), movesRest: true)
    case "X": erase(column..<(column + count))
    case "b": repeatLast(count)
    default: break
    }
  }

  /// EL, and ED from the cursor on.
  private mutating func erase(_ part: Int) {
    switch part {
    case 0: erase(column..<Int.max)
    case 1: erase(0..<(column + 1))
    case 2: erase(0..<Int.max)
    default: break
    }
  }

  private mutating func erase(_ range: Range<Int>, movesRest: Bool = false) {
    let range = range.clamped(to: 0..<cells.count)
    guard !range.isEmpty else { return }
    split(at: range.lowerBound)
    split(at: range.upperBound - 1)
    if movesRest || range.upperBound == cells.count {
      cells.removeSubrange(range)
    } else {
      blank(range)
    }
  }

  /// REP.
  private mutating func repeatLast(_ count: Int) {
    guard column > 0, column <= cells.count, let last = cells[column - 1]?.unicodeScalars.first
    else { return }
    for _ in 0..<min(count, Self.farthestGap) { put(last) }
  }
}
