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
  /// The place of the cursor in the line; nil if its column is unknown.
  private var place: CursorPlace?

  /// The maximum number of characters that Backspace can erase.
  private static let reach = 4_096

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
    place = isAtMargin && draws ? CursorPlace() : nil
  }

  private var column: Int? { place?.column }

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
          let blanks = [UInt8](repeating: UInt8(ascii: " "), count: widthOfTab)
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
      place?.column = 0
    }
    let start = output.count
    stamp(text, at: moment, through: &stamps, into: &output)
    // Only a timestamp can precede the text.
    output[start..<(output.count - text.count)].withUnsafeBytes {
      if !$0.isEmpty { note(ScreenPart(kind: .text, bytes: $0)) }
    }
    addCell(width: textWidth, into: &output)
  }

  private func stamp(
    _ text: [UInt8], at moment: Moment, through stamps: inout Pipeline, into output: inout [UInt8]
  ) {
    text.withUnsafeBytes { stamps.append($0, at: moment, to: &output) }
  }

  private mutating func addCell(width: Int, into output: inout [UInt8]) {
    if let column, column + width > columns() { place?.column = 0 }
    if cells.count == Self.reach {
      cells.removeFirst(Self.reach / 2)
      holdsFixedEcho = true
    }
    cells.append(Cell(width: width, start: column))
    following = 0
    guard let end = column.map({ $0 + width }) else { return }
    place?.column = end
    guard end >= columns() else { return }
    // Terminals differ about a cursor after the last column. This moves it to the
    // next row immediately.
    output += [UInt8(ascii: " "), .carriageReturn]
    place?.column = 0
  }

  private mutating func erase(into output: inout [UInt8]) {
    guard let cell = cells.popLast() else { return }
    if let column, let start = cell.start, column < start + cell.width {
      // The row above ends with the character. Erases it by CUU, CHA, EL.
      output.append("\u{1B}[A\u{1B}[")
      output.append(decimal: UInt64(start + 1))
      output.append("G\u{1B}[K")
    } else {
      for byte in [.backspace, UInt8(ascii: " "), .backspace] as [UInt8] {
        output += repeatElement(byte, count: cell.width)
      }
    }
    place = cell.start.map { CursorPlace(column: $0) }
  }

  // MARK: Text of the device

  /// Passes a piece from the device, with its timestamps.
  public mutating func pass(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    for part in ScreenParts(bytes) {
      if overwritesEcho(part) {
        output += isReturned ? [.lineFeed] : [.carriageReturn, .lineFeed]
        cursorDidMove(toMargin: true)
      }
      if let replacement = handle(part) {
        output += replacement
      } else {
        output.append(contentsOf: part.bytes)
      }
    }
  }

  /// Whether the part would overwrite the echo, and so must go to a new line.
  private func overwritesEcho(_ part: ScreenPart) -> Bool {
    guard holdsEcho else { return false }
    switch part.kind {
    case .text, .tab: return isReturned
    case .edit, .motion:
      guard let sequence = part.sequence else { return false }
      switch sequence.final {
      // ECH, DCH, ICH, REP, CUF and HPR change the text at or after the cursor.
      case "X", "P", "@", "b", "C", "a": return isReturned
      // EL and ED from the cursor on. Other forms of ED erase the screen.
      case "K": return isReturned || sequence.parameters.first != 0
      case "J": return isReturned && sequence.parameters.first == 0
      // CHA, HPA, CBT.
      case "G", "`", "Z": return true
      default: return false
      }
    case .backspace, .carriageReturn, .lineFeed, .control, .style, .mode: return false
    }
  }

  /// Handles a part that does not overwrite the echo.
  ///
  /// - Returns: the bytes for the screen instead of the part; nil to show the part itself.
  private mutating func handle(_ part: ScreenPart) -> [UInt8]? {
    switch part.kind {
    case .text, .tab: note(part)
    case .carriageReturn:
      isReturned = holdsEcho || holdsText
      following = 0
      setColumn(isAtMargin: true)
    case .lineFeed: feedLine()
    case .backspace: return moveBack(by: 1)
    // Without automatic wrap, the cursor stays in the last column.
    case .mode: if part.sequence?.concerns(mode: 7) ?? false { place = nil }
    case .motion: return handle(motion: part)
    case .control, .style, .edit: break
    }
    return nil
  }

  private mutating func feedLine() {
    beginLine()
    place = column.map { CursorPlace(column: min($0, columns() - 1)) }
  }

  private mutating func moveBack(by count: Int) -> [UInt8]? {
    if isReturned { return nil }
    // After the last column, BS moves the cursor before the last two characters.
    let isWrapping = column == columns()
    let room = max(0, isWrapping ? following - 1 : following)
    let way = holdsEcho ? min(count, room) : count
    if way > 0 {
      following = max(0, following - way - (isWrapping ? 1 : 0))
      place?.moveBack(by: way, columns: columns())
    }
    return way == count ? nil : Array(repeating: .backspace, count: way)
  }

  /// Records text or a tab of the device.
  private mutating func note(_ part: ScreenPart) {
    holdsFixedEcho = holdsEcho
    cells.removeAll(keepingCapacity: true)
    (holdsText, isReturned) = (true, false)
    if part.kind == .tab {
      following += min(widthOfTab, max(0, columns() - 1 - (column ?? 0)))
      place?.tab(columns: columns())
    } else {
      following += CursorPlace.width(of: part.bytes)
      place?.advance(over: part.bytes, columns: columns())
    }
  }

  /// The number of columns from the cursor to the next tab stop.
  private var widthOfTab: Int { CursorPlace.tabDistance - (column ?? 0) % CursorPlace.tabDistance }

  private mutating func handle(motion part: ScreenPart) -> [UInt8]? {
    guard let sequence = part.sequence else {
      // DECSC moves nothing. IND works like a line feed.
      switch Unicode.Scalar(part.bytes.last ?? 0) {
      case "7": break
      case "D": feedLine()
      default: forget()
      }
      return nil
    }
    let count = max(1, sequence.parameters.first)
    switch sequence.final {
    case "J": if sequence.parameters.first != 0 { forget() }
    case "C", "a":
      isReturned = false
      following += count
      place = column.map { CursorPlace(column: min($0 + count, columns() - 1)) }
    case "D": return moveBack(by: count)
    default: forget()
    }
    return nil
  }

  /// Records that the cursor is at an unknown position on the screen.
  private mutating func forget() {
    beginLine()
    (holdsText, place) = (true, nil)
  }
}
