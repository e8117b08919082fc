import TextTools

/// The place of an unfinished line on the screen: how many rows it fills.
///
/// A timestamp before the line may have one of several widths, so that the place is computed for
/// the narrowest and for the widest one.
struct DrawnLine {
  /// A position after the beginning of the line.
  private struct Place: Hashable {
    var row = 0
    /// The column; the number of columns if the next character wraps.
    var column = 0

    init(margin: Int, columns: Int) { advance(by: margin, columns: columns) }

    /// Moves over characters of one column each.
    mutating func advance(by count: Int, columns: Int) {
      let end = column + count
      guard end > columns else { return column = end }
      row += (end - 1) / columns
      column = (end - 1) % columns + 1
    }

    /// Moves over a character, which is never split.
    mutating func advance(overWide width: Int, columns: Int) {
      if column + width > columns { (row, column) = (row + 1, 0) }
      column += width
    }
  }

  private var narrow: Place
  private var wide: Place
  /// The number of columns of the screen.
  let columns: Int

  private static let tabDistance = 8

  /// - Parameters:
  ///   - margin: the possible widths of a timestamp.
  ///   - columns: the number of columns of the screen, above 0.
  init(margin: ClosedRange<Int>, columns: Int) {
    self.columns = columns
    narrow = Place(margin: margin.lowerBound, columns: columns)
    wide = Place(margin: margin.upperBound, columns: columns)
  }

  /// The number of rows above the cursor's; nil if it is uncertain.
  var rowsAbove: Int? { narrow.row == wide.row ? narrow.row : nil }

  /// Whether a number of columns follow in the same row, and the cursor does not wrap after them.
  func hasRoom(for width: Int) -> Bool {
    rowsAbove != nil && max(narrow.column, wide.column) + width < columns
  }

  /// Adds text: characters, tabs, backspaces, and sequences that do not move the cursor.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    var index = 0
    while index < text.count {
      switch text[index] {
      case 0x20..<0x7F:
        let end = PlainText.printableEnd(in: text, from: index)
        narrow.advance(by: end - index, columns: columns)
        wide.advance(by: end - index, columns: columns)
        index = end
      case .tab:
        tab(&narrow)
        tab(&wide)
        index += 1
      case .backspace:
        narrow.column = max(0, min(narrow.column, columns - 1) - 1)
        wide.column = max(0, min(wide.column, columns - 1) - 1)
        index += 1
      case .escape: index = LineSequence.end(in: text, from: index)
      case let first:
        index += 1
        guard var character = UTF8Character(first: first) else { continue }
        while !character.isComplete, index < text.count, character.append(text[index]) {
          index += 1
        }
        let count = Unicode.Scalar(character.codePoint).map(\.displayWidth) ?? 0
        narrow.advance(overWide: count, columns: columns)
        wide.advance(overWide: count, columns: columns)
      }
    }
  }

  private func tab(_ place: inout Place) {
    let next = (place.column / Self.tabDistance + 1) * Self.tabDistance
    place.column = min(next, columns - 1)
  }

  /// Appends what erases the line, and moves the cursor to its first column. CR comes last, so that
  /// a stage of timestamps begins a new line.
  func erase(into output: inout [UInt8]) {
    // EL, CUU.
    output.append("\u{1B}[2K")
    for _ in 0..<(rowsAbove ?? 0) { output.append("\u{1B}[A\u{1B}[2K") }
    output.append(.carriageReturn)
  }
}

/// An escape sequence in a line of text.
enum LineSequence {
  /// It changes colours or styles: SGR.
  case style
  /// It switches a mode: the visible cursor, wrapping.
  case mode
  /// It erases or inserts in the row of the cursor.
  case edit
  /// It moves the cursor, or does something else.
  case drawing

  /// - Parameter bytes: a sequence, with its ESC.
  init(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 2, bytes[1] == UInt8(ascii: "[") else {
      self = .drawing
      return
    }
    switch Unicode.Scalar(bytes[bytes.count - 1]) {
    case "m": self = .style
    case "h", "l": self = .mode
    case "K", "P", "X", "@": self = .edit
    default: self = .drawing
    }
  }

  /// Whether an SGR sequence resets all styles first, so that earlier ones do not matter.
  static func beginsWithReset(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes[2..<(bytes.count - 1)].prefix { $0 != UInt8(ascii: ";") }
      .allSatisfy { $0 == UInt8(ascii: "0") }
  }

  /// Whether the background has a colour after an SGR sequence: colours, and reverse. Erased cells
  /// would get it. It may wrongly be so until the next reset.
  static func colours(_ bytes: UnsafeRawBufferPointer, after hasBackground: Bool) -> Bool {
    var result = hasBackground
    var number = 0
    for byte in bytes[2...] {
      if let digit = byte.decimalDigit {
        number = min(number * 10 + digit, 1_000)
      } else {
        switch number {
        case 0: result = false
        case 7, 40...48, 100...107: result = true
        default: break
        }
        number = 0
      }
    }
    return result
  }

  /// The end of the sequence that begins at an index.
  static func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard start + 1 < bytes.count else { return bytes.count }
    let isControl = bytes[start + 1] == UInt8(ascii: "[")
    let final =
      isControl
      ? bytes[(start + 2)...].firstIndex { (0x40..<0x7F).contains($0) }
      : bytes[(start + 1)...].firstIndex { !(0x20..<0x30).contains($0) }
    return final.map { $0 + 1 } ?? bytes.count
  }
}

extension UInt8 {
  /// The value of an ASCII digit; nil for another character.
  fileprivate var decimalDigit: Int? {
    let value = Int(self) - Int(UInt8(ascii: "0"))
    return (0...9).contains(value) ? value : nil
  }
}
