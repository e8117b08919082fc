import TextTools

/// A place of the cursor on a screen that wraps its rows.
package struct CursorPlace: Hashable {
  /// The number of rows below the first one.
  private(set) var row = 0
  /// The column, counted from 0; the number of columns if the next character wraps.
  var column = 0

  /// The distance of tab stops, in columns.
  static let tabDistance = 8

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

  /// The number of columns of text: complete characters.
  static func width(of text: UnsafeRawBufferPointer) -> Int {
    let ascii = PlainText.printableEnd(in: text, from: 0)
    return String(decoding: text[ascii...], as: UTF8.self).unicodeScalars
      .reduce(ascii) { $0 + $1.displayWidth }
  }

  /// Moves over text: complete characters.
  mutating func advance(over text: UnsafeRawBufferPointer, columns: Int) {
    let ascii = PlainText.printableEnd(in: text, from: 0)
    advance(by: ascii, columns: columns)
    if ascii == text.count { return }
    for scalar in String(decoding: text[ascii...], as: UTF8.self).unicodeScalars {
      advance(overWide: scalar.displayWidth, columns: columns)
    }
  }

  /// Moves to the next tab stop, at most to the last column. Behind it, the next character still
  /// wraps.
  mutating func tab(columns: Int) {
    if column < columns { column = min(Self.tabStop(after: column), columns - 1) }
  }

  /// The next tab stop on the right.
  package static func tabStop(after column: Int) -> Int { (column / tabDistance + 1) * tabDistance }

  /// The next tab stop on the left, or the first column.
  static func tabStop(before column: Int) -> Int {
    max(0, (column - 1) / tabDistance * tabDistance)
  }

  /// Moves back in the row. A cursor behind the last column is moved from that column.
  mutating func moveBack(by count: Int = 1, columns: Int) {
    column = max(0, min(column, columns - 1) - count)
  }
}
