import TextTools

/// A line that is shown as it arrives, and highlighted when its matches are known.
struct HighlightedLine {
  /// The characters to search.
  private(set) var scalars: [UInt32] = []
  private var cells: [Cell] = []
  /// The characters and the device's styles, as they were received.
  private var bytes: [UInt8] = []
  /// The device's styles at the beginning of the line: its SGR sequences since the last reset.
  private var style: [UInt8] = []
  /// The number of characters on the screen.
  private var shownCount = 0
  /// The number of bytes that were written to the screen.
  private var shownByteCount = 0
  /// The index of the first character that can still be overwritten.
  private var reachable = 0
  /// Whether the line begins in the first column, so that its width determines the end of its row.
  private(set) var isAtMargin = true

  private struct Cell {
    /// The offset of its bytes.
    let offset: Int
    /// The width in columns; nil if unknown.
    let width: Int?
    /// The index of the highlight that it has on the screen, and of the one that it should have.
    var painted: Int?
    var wanted: Int?
  }

  /// The maximum width of a tab, in columns.
  private static let tabWidth = 8

  /// The maximum size of the kept styles in bytes. Longer ones are dropped.
  private static let styleLimit = 256

  var count: Int { scalars.count }

  /// The number of bytes of the characters and styles.
  var byteCount: Int { bytes.count }

  // MARK: Input

  mutating func append(_ byte: UInt8, scalar: UInt32, width: Int?) {
    scalars.append(scalar)
    cells.append(Cell(offset: bytes.count, width: width))
    bytes.append(byte)
  }

  mutating func append(
    _ piece: UnsafeRawBufferPointer, in range: Range<Int>, scalar: UInt32, width: Int?
  ) {
    scalars.append(scalar)
    cells.append(Cell(offset: bytes.count, width: width))
    bytes.append(piece, in: range)
  }

  mutating func append(style sequence: UnsafeRawBufferPointer) { bytes += sequence }

  /// Makes the text on the screen unreachable. The following text begins in the first column or at
  /// an unknown position.
  mutating func leaveShown(forMargin isAtMargin: Bool) {
    reachable = shownCount
    self.isAtMargin = isAtMargin
  }

  /// Begins a new line in the first column or at an unknown position.
  mutating func begin(atMargin isAtMargin: Bool) {
    style = styleAtEnd(of: bytes.count)
    self.isAtMargin = isAtMargin
    scalars.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    (shownCount, shownByteCount, reachable) = (0, 0, 0)
  }

  // MARK: Output

  /// Writes the part that is not on the screen yet, without highlights.
  mutating func putOut(into output: inout [UInt8]) {
    output += bytes[shownByteCount...]
    (shownCount, shownByteCount) = (count, bytes.count)
  }

  /// Marks the characters of a match.
  mutating func mark(_ match: Range<Int>, as number: Int) {
    for index in match { cells[index].wanted = number }
  }

  /// Writes the part that is not on the screen yet, and rewrites the part whose
  /// highlights have changed.
  ///
  /// - Parameter columns: the number of columns of a row in which the line can be rewritten.
  mutating func paint(
    with highlights: [Highlight], onRowOf columns: Int, into output: inout [UInt8]
  ) {
    let start = firstToRepaint(onRowOf: columns)
    if start < shownCount {
      let width = cells[start..<shownCount].reduce(0) { $0 + ($1.width ?? 0) }
      // Moves back to that part by CUB. Rewriting it moves the cursor to its old position.
      output.append("\u{1B}[")
      output.append(decimal: UInt64(width))
      output.append("D")
      restoreStyle(at: cells[start].offset, into: &output)
      putOut(from: start, cells[start].offset, with: highlights, into: &output)
    } else {
      putOut(from: shownCount, shownByteCount, with: highlights, into: &output)
    }
    (shownCount, shownByteCount) = (count, bytes.count)
    // When the line continues, a highlight may no longer apply.
    for index in cells.indices { cells[index].wanted = nil }
  }

  /// The index of the first character on the screen whose highlight has changed, if it
  /// can be rewritten.
  private func firstToRepaint(onRowOf columns: Int) -> Int {
    guard isAtMargin else { return shownCount }
    let shown = cells[..<shownCount]
    // The distance back to it must be known.
    var reachable = reachable
    if let unknown = shown.lastIndex(where: { $0.width == nil }) {
      reachable = max(reachable, unknown + 1)
    }
    guard let first = shown[reachable...].firstIndex(where: { $0.painted != $0.wanted }) else {
      return shownCount
    }
    // In the last column the cursor would not move on.
    let width = shown.reduce(0) { $0 + ($1.width ?? Self.tabWidth) }
    return width < columns ? first : shownCount
  }

  /// - Parameter offset: the offset where the bytes begin. They may include styles
  ///   before the character.
  private mutating func putOut(
    from start: Int, _ offset: Int, with highlights: [Highlight], into output: inout [UInt8]
  ) {
    guard cells[start...].contains(where: { $0.wanted != nil }) else {
      for index in start..<count { cells[index].painted = nil }
      output += bytes[offset...]
      return
    }
    var offset = offset
    var current: Int?
    for index in start..<count {
      if cells[index].wanted != current || offset < cells[index].offset {
        // Restores the device's own styles before it.
        if current != nil { restoreStyle(at: offset, into: &output) }
        output += bytes[offset..<cells[index].offset]
        offset = cells[index].offset
        current = cells[index].wanted
        if let current { append(highlights[current].colour, to: &output) }
      }
      cells[index].painted = current
      let end = endOfCharacter(index)
      output += bytes[offset..<end]
      offset = end
    }
    if current != nil { restoreStyle(at: offset, into: &output) }
    output += bytes[offset...]
  }

  /// The end of a character's bytes: before the next character, or before the style
  /// between the two.
  private func endOfCharacter(_ index: Int) -> Int {
    let offset = cells[index].offset
    let limit = index + 1 < count ? cells[index + 1].offset : bytes.count
    return bytes[(offset + 1)..<max(limit, offset + 1)].firstIndex(of: .escape) ?? limit
  }

  // MARK: Styles

  private func append(_ colour: HighlightColour, to output: inout [UInt8]) {
    output.append("\u{1B}[0;")
    output += colour.parameters.utf8
    output.append("m")
  }

  private func restoreStyle(at offset: Int, into output: inout [UInt8]) {
    output.append("\u{1B}[0m")
    output += styleAtEnd(of: offset)
  }

  /// The device's styles before an offset.
  private func styleAtEnd(of end: Int) -> [UInt8] {
    var result = style
    var index = 0
    while let start = bytes[index..<end].firstIndex(of: .escape) {
      let final = bytes[start..<end].firstIndex(of: UInt8(ascii: "m")) ?? end - 1
      let sequence = bytes[start...final]
      // The parameters follow `ESC [`. Without any, or with a 0 first, they reset all styles.
      let parameters = sequence.dropFirst(2).dropLast()
      let first = parameters.prefix { $0 != UInt8(ascii: ";") }
      if first.allSatisfy({ $0 == UInt8(ascii: "0") }) { result.removeAll() }
      if result.count + sequence.count <= Self.styleLimit, !parameters.allSatisfy(isReset) {
        result += sequence
      }
      index = final + 1
    }
    return result
  }

  private func isReset(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "0") }
}
