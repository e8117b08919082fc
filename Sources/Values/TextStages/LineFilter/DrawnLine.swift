import TextTools

/// The place of an unfinished line on the screen: how many rows it fills.
///
/// A timestamp before the line may have one of several widths, so that the place is computed for
/// the narrowest and for the widest one.
struct DrawnLine {
  private var narrow = CursorPlace()
  private var wide = CursorPlace()
  /// The number of columns of the screen.
  let columns: Int

  /// - Parameters:
  ///   - margin: the possible widths of a timestamp.
  ///   - columns: the number of columns of the screen, above 0.
  init(margin: ClosedRange<Int>, columns: Int) {
    self.columns = columns
    narrow.advance(by: margin.lowerBound, columns: columns)
    wide.advance(by: margin.upperBound, columns: columns)
  }

  /// The number of rows above the cursor's; nil if it is uncertain.
  var rowsAbove: Int? { narrow.row == wide.row ? narrow.row : nil }

  /// Whether a number of columns follow in the same row, and the cursor does not wrap after them.
  func hasRoom(for width: Int) -> Bool {
    rowsAbove != nil && max(narrow.column, wide.column) + width < columns
  }

  /// Adds text whose sequences do not move the cursor.
  mutating func add(_ text: UnsafeRawBufferPointer) {
    for part in ScreenParts(text) {
      advance(&narrow, over: part)
      advance(&wide, over: part)
    }
  }

  private func advance(_ place: inout CursorPlace, over part: ScreenPart) {
    switch part.kind {
    case .text: place.advance(over: part.bytes, columns: columns)
    case .tab: place.tab(columns: columns)
    case .backspace: place.moveBack(columns: columns)
    default: break
    }
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
