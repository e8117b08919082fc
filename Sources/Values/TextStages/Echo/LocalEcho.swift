import TextTools
public import Time

/// The local echo: shows typed text on the screen, between the text of the device.
///
/// ## Principles of operation
///
/// - **The echo is text for a person.** Enter starts a new line, Backspace erases a character, and
///   control characters are shown as `^C`. The bytes for the device are not affected.
/// - **Neither side overwrites the other.** After a CR, the device's text goes to a new line if
///   the line contains echo, and echo goes to a new line if the line contains anything. CR LF
///   stays CR LF.
/// - **The end of the echo is a margin.** BS and CUB move the device's cursor back over its own
///   text after the echo, but no further, as they stop at the first column of other lines.
/// - **Backspace erases only echo**, and only at the end of the line. Once the device has written
///   after the echo, both stay.
/// - **A device that moves the cursor to another row draws on the screen itself.** Nothing is
///   protected from it.
///
/// The echo is the last stage before the screen. It sees every character for the screen, and so
/// knows the column of the cursor as long as only text and simple controls arrive. It needs the
/// column to erase across the edge of the screen. Where the column is unknown, it erases by BS, as
/// on a terminal that can only print.
public struct LocalEcho {
  /// A character of the echo that Backspace can erase.
  private struct Cell {
    /// The width in columns.
    let width: Int
    /// The column where it begins, counted from 0; nil if unknown.
    let start: Int?
  }

  private let columns: () -> Int
  private let draws: Bool
  private var typed = TypedText()
  private var items: [TypedText.Item] = []

  /// The echo at the end of the line that Backspace can erase.
  private var cells: [Cell] = []
  /// Whether the line contains echo that Backspace cannot erase.
  private var holdsFixedEcho = false
  /// Whether the line contains text of the device.
  private var holdsText = false
  /// The minimum number of columns with text of the device after the echo.
  private var following = 0
  /// Whether a CR has moved the cursor to the beginning of a line that is not empty.
  private var isReturned = false
  /// The column of the cursor, counted from 0; the number of columns if the next character wraps;
  /// nil if unknown.
  private var column: Int?

  /// The maximum number of characters that Backspace can erase.
  private static let reach = 4_096
  private static let tabDistance = 8

  /// Creates the echo for an empty line.
  ///
  /// - Parameters:
  ///   - isAtMargin: whether the cursor is in the first column.
  ///   - draws: whether the terminal supports escape sequences.
  ///   - columns: returns the width of the screen, at least 1.
  public init(
    isAtMargin: Bool, draws: Bool = true, columns: @escaping () -> Int
  ) {
    self.columns = columns
    self.draws = draws
    setColumn(isAtMargin: isAtMargin)
  }

  /// Records that other code has moved the cursor to the first column of an empty line, or to
  /// an unknown column.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    if isAtMargin { beginLine() }
    setColumn(isAtMargin: isAtMargin)
  }

  private var holdsEcho: Bool { holdsFixedEcho || !cells.isEmpty }

  private mutating func beginLine() {
    cells.removeAll(keepingCapacity: true)
    (holdsFixedEcho, holdsText, following, isReturned) = (false, false, 0, false)
  }

  private mutating func setColumn(isAtMargin: Bool) {
    // Where nothing can be drawn, the column is not needed.
    column = isAtMargin && draws ? 0 : nil
  }

  // MARK: Typed text

  /// Appends the screen's text for typed bytes.
  ///
  /// - Parameters:
  ///   - bytes: the typed bytes.
  ///   - moment: the time at which they were typed.
  ///   - stamps: inserts the time at the beginning of lines.
  public mutating func type(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, through stamps: inout Pipeline,
    into output: inout [UInt8]
  ) {
    for byte in bytes {
      typed.decode(byte, into: &items)
      for item in items {
        switch item {
        case .newLine:
          stamp([.carriageReturn, .lineFeed], at: moment, through: &stamps, into: &output)
          cursorDidMove(toMargin: true)
        case .erase: erase(into: &output)
        case .text(let text): show(text, at: moment, through: &stamps, into: &output)
        case .tab:
          let blanks = [UInt8](repeating: 0x20, count: widthOfTab)
          show(blanks, at: moment, through: &stamps, into: &output)
        }
      }
      items.removeAll(keepingCapacity: true)
    }
  }

  private mutating func show(
    _ text: [UInt8], at moment: Moment, through stamps: inout Pipeline, into output: inout [UInt8]
  ) {
    if isReturned {
      stamp([.lineFeed], at: moment, through: &stamps, into: &output)
      beginLine()
    }
    let textWidth = String(decoding: text, as: UTF8.self).unicodeScalars.reduce(0) {
      $0 + $1.displayWidth
    }
    if let column, column < columns(), column + textWidth > columns() {
      // Keeps the text together, because terminals treat text that does not fit differently.
      output += [.carriageReturn, .lineFeed]
      self.column = 0
    }
    let start = output.count
    stamp(text, at: moment, through: &stamps, into: &output)
    // Only a timestamp can precede the text.
    output[start..<(output.count - text.count)].withUnsafeBytes { if !$0.isEmpty { note($0) } }
    addCell(width: textWidth, into: &output)
  }

  private func stamp(
    _ text: [UInt8], at moment: Moment, through stamps: inout Pipeline, into output: inout [UInt8]
  ) {
    text.withUnsafeBytes { stamps.append($0, at: moment, to: &output) }
  }

  private mutating func addCell(width: Int, into output: inout [UInt8]) {
    if let column, column + width > columns() { self.column = 0 }
    if cells.count == Self.reach {
      cells.removeFirst(Self.reach / 2)
      holdsFixedEcho = true
    }
    cells.append(Cell(width: width, start: column))
    following = 0
    guard let end = column.map({ $0 + width }) else { return }
    column = end
    guard end >= columns() else { return }
    // Terminals differ about a cursor after the last column. This moves it to the
    // next row immediately.
    output += [0x20, .carriageReturn]
    column = 0
  }

  private mutating func erase(into output: inout [UInt8]) {
    guard let cell = cells.popLast() else { return }
    if let column, let start = cell.start, column < start + cell.width {
      // The row above ends with the character. Erases it by CUU, CHA, EL.
      output.append("\u{1B}[A\u{1B}[")
      output.append(decimal: UInt64(start + 1))
      output.append("G\u{1B}[K")
    } else {
      for byte in [.backspace, 0x20, .backspace] as [UInt8] {
        output += repeatElement(byte, count: cell.width)
      }
    }
    column = cell.start
  }

  // MARK: Text of the device

  /// Passes a piece from the device, with its timestamps; see ``ByteStage/transform(_:at:into:)``.
  public mutating func pass(
    _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) -> StageResult {
    var index = 0
    if !holdsEcho, let end = bytes.lastIndex(of: .lineFeed) {
      // Only the last line needs protection.
      beginLine()
      setColumn(isAtMargin: end > 0 && bytes[end - 1] == .carriageReturn)
      index = end + 1
    }
    var copied = 0
    var isChanged = false
    while index < bytes.count {
      let end = endOfItem(in: bytes, from: index)
      let item = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
      if overwritesEcho(item) {
        output.append(bytes, in: copied..<index)
        (copied, isChanged) = (index, true)
        output += isReturned ? [.lineFeed] : [.carriageReturn, .lineFeed]
        cursorDidMove(toMargin: true)
      }
      if let replacement = handle(item) {
        output.append(bytes, in: copied..<index)
        (copied, isChanged) = (end, true)
        output += replacement
      }
      index = end
    }
    guard isChanged else { return .unchanged }
    output.append(bytes, in: copied..<bytes.count)
    return .changed
  }

  /// Whether the item would overwrite the echo, and so must go to a new line.
  private func overwritesEcho(_ item: UnsafeRawBufferPointer) -> Bool {
    guard holdsEcho else { return false }
    switch item[0] {
    case .tab: return isReturned
    case .escape:
      guard let control = ControlSequence(item) else { return false }
      switch control.final {
      // ECH, DCH, ICH, REP, CUF and HPR change the text at or after the cursor.
      case "X", "P", "@", "b", "C", "a": return isReturned
      // EL and ED from the cursor on. Other forms of ED erase the screen.
      case "K": return isReturned || control.parameters.first != 0
      case "J": return isReturned && control.parameters.first == 0
      // CHA, HPA, CBT.
      case "G", "`", "Z": return true
      default: return false
      }
    case 0..<0x20, .delete: return false
    default: return isReturned
    }
  }

  /// Handles an item that does not overwrite the echo.
  ///
  /// - Returns: the bytes for the screen instead of the item; nil to show the item itself.
  private mutating func handle(_ item: UnsafeRawBufferPointer) -> [UInt8]? {
    switch item[0] {
    case .carriageReturn:
      isReturned = holdsEcho || holdsText
      following = 0
      setColumn(isAtMargin: true)
    case .lineFeed: feedLine()
    case .backspace: return moveBack(by: 1)
    case .escape: return handle(sequence: item)
    case .tab: note(item)
    case 0..<0x20, .delete: break
    default: note(item)
    }
    return nil
  }

  private mutating func feedLine() {
    beginLine()
    column = column.map { min($0, columns() - 1) }
  }

  private mutating func moveBack(by count: Int) -> [UInt8]? {
    if isReturned { return nil }
    // After the last column, BS moves the cursor before the last two characters.
    let isWrapping = column == columns()
    let room = max(0, isWrapping ? following - 1 : following)
    let way = holdsEcho ? min(count, room) : count
    if way > 0 {
      following = max(0, following - way - (isWrapping ? 1 : 0))
      column = column.map { max(0, min($0, columns() - 1) - way) }
    }
    return way == count ? nil : Array(repeating: .backspace, count: way)
  }

  /// Records text of the device.
  private mutating func note(_ text: UnsafeRawBufferPointer) {
    holdsFixedEcho = holdsEcho
    cells.removeAll(keepingCapacity: true)
    (holdsText, isReturned) = (true, false)
    var index = 0
    while index < text.count {
      let end = endOfItem(in: text, from: index)
      advance(over: .init(rebasing: text[index..<end]))
      index = end
    }
  }

  private mutating func advance(over item: UnsafeRawBufferPointer) {
    var itemWidth = 0
    switch item[0] {
    case .tab: itemWidth = min(widthOfTab, max(0, columns() - 1 - (column ?? 0)))
    case 0x20..<0x7F: itemWidth = item.count
    default:
      if var character = UTF8Character(first: item[0]) {
        for byte in item.dropFirst() { _ = character.append(byte) }
        itemWidth = Unicode.Scalar(character.codePoint).map(\.displayWidth) ?? 0
      }
    }
    following += itemWidth
    guard let column, itemWidth > 0 else { return }
    let (end, columns) = (column + itemWidth, columns())
    // A run of narrow characters can fill several rows. A wide character is never split.
    let isRun = item[0].isPrintable
    self.column = end <= columns ? end : isRun ? (end - 1) % columns + 1 : itemWidth
  }

  /// The number of columns from the cursor to the next tab stop.
  private var widthOfTab: Int { Self.tabDistance - (column ?? 0) % Self.tabDistance }

  // MARK: Escape sequences

  private mutating func handle(sequence: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let control = ControlSequence(sequence) else {
      handle(escape: sequence.count > 1 ? Unicode.Scalar(sequence[1]) : " ")
      return nil
    }
    let count = max(1, control.parameters.first)
    switch control.final {
    // Without automatic wrap, the cursor stays in the last column.
    case "h", "l": if control.concerns(mode: 7) { column = nil }
    case "m", "K", "X", "P", "@": break
    case "J": if control.parameters.first != 0 { forget() }
    case "C", "a":
      isReturned = false
      following += count
      column = column.map { min($0 + count, columns() - 1) }
    case "D": return moveBack(by: count)
    default: forget()
    }
    return nil
  }

  private mutating func handle(escape: Unicode.Scalar) {
    switch escape {
    // DECSC moves nothing. IND works like a line feed.
    case "7": break
    case "D": feedLine()
    default: forget()
    }
  }

  /// Records that the cursor is at an unknown position on the screen.
  private mutating func forget() {
    beginLine()
    (holdsText, column) = (true, nil)
  }

  /// The end of an item: a run of printable ASCII, a character, a control character or a sequence.
  private func endOfItem(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    switch bytes[start] {
    case 0x20..<0x7F: return bytes[start...].firstIndex { !$0.isPrintable } ?? bytes.count
    case .escape: return LineSequence.end(in: bytes, from: start)
    case let first:
      guard var character = UTF8Character(first: first) else { return start + 1 }
      var end = start + 1
      while !character.isComplete, end < bytes.count, character.append(bytes[end]) { end += 1 }
      return end
    }
  }
}
