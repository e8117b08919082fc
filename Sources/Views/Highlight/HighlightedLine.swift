/// A line that is shown while it comes, and set off when it is known.
struct HighlightedLine {
  /// The characters, as they are looked for.
  private(set) var scalars: [UInt32] = []
  private var cells: [Cell] = []
  /// The characters and the device's styles, as they came.
  private var bytes: [UInt8] = []
  /// The device's styles since the last that took all back, in force at the line's beginning.
  private var style: [UInt8] = []
  /// How many characters are on the screen.
  private var shownCount = 0
  /// How many bytes are on the screen.
  private var shownByteCount = 0
  /// Characters in front of this one are out of reach.
  private var reachable = 0
  /// Whether the line begins in the first column, so that its width tells where its row ends.
  private(set) var isAtMargin = true

  private struct Cell {
    /// Where its bytes begin.
    let offset: Int
    /// Nil where nobody knows it.
    let width: Int?
    /// Which highlight it has on the screen, and which it is to have.
    var painted: Int?
    var wanted: Int?
  }

  /// At most.
  private static let tabWidth = 8

  /// Styles that go beyond this are forgotten.
  private static let styleLimit = 256

  var count: Int { scalars.count }

  /// How many bytes the characters and the styles have.
  var byteCount: Int { bytes.count }

  // MARK: What comes

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

  /// What is on the screen is out of reach from now on. What comes begins in the first column, or
  /// nobody knows where.
  mutating func leaveShown(forMargin isAtMargin: Bool) {
    reachable = shownCount
    self.isAtMargin = isAtMargin
  }

  /// Begins another line: in the first column, or nobody knows where.
  mutating func begin(atMargin isAtMargin: Bool) {
    style = styleAtEnd(of: bytes.count)
    self.isAtMargin = isAtMargin
    scalars.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    (shownCount, shownByteCount, reachable) = (0, 0, 0)
  }

  // MARK: What is shown

  /// Puts out what is not on the screen yet, as it is.
  mutating func putOut(into output: inout [UInt8]) {
    output += bytes[shownByteCount...]
    (shownCount, shownByteCount) = (count, bytes.count)
  }

  /// Marks the characters of a match.
  mutating func mark(_ match: Range<Int>, as number: Int) {
    for index in match { cells[index].wanted = number }
  }

  /// Puts out what is not on the screen yet, and once more what has to look otherwise.
  ///
  /// - Parameter columns: how many the line may take for that.
  mutating func paint(
    with highlights: [Highlight], onRowOf columns: Int, into output: inout [UInt8]
  ) {
    let start = firstToRepaint(onRowOf: columns)
    if start < shownCount {
      let width = cells[start..<shownCount].reduce(0) { $0 + ($1.width ?? 0) }
      // Back to it: CUB. What is written over itself takes the cursor to where it was.
      output.append("\u{1B}[")
      output.append(decimal: UInt64(width))
      output.append("D")
      restoreStyle(at: cells[start].offset, into: &output)
      putOut(from: start, cells[start].offset, with: highlights, into: &output)
    } else {
      putOut(from: shownCount, shownByteCount, with: highlights, into: &output)
    }
    (shownCount, shownByteCount) = (count, bytes.count)
    // What was wanted now may be wanted no more when the line has gone on.
    for index in cells.indices { cells[index].wanted = nil }
  }

  /// The first character on the screen that has to look otherwise, if it can be reached.
  private func firstToRepaint(onRowOf columns: Int) -> Int {
    guard isAtMargin else { return shownCount }
    let shown = cells[..<shownCount]
    // How far back those are is known.
    var reachable = reachable
    if let unknown = shown.lastIndex(where: { $0.width == nil }) {
      reachable = max(reachable, unknown + 1)
    }
    guard let first = shown[reachable...].firstIndex(where: { $0.painted != $0.wanted }) else {
      return shownCount
    }
    // In the last column the cursor would stay where it is.
    let width = shown.reduce(0) { $0 + ($1.width ?? Self.tabWidth) }
    return width < columns ? first : shownCount
  }

  /// - Parameter offset: where the bytes begin; styles in front of the character may be among them.
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
        // The device's own styles in front of it.
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

  /// Where a character's bytes end: in front of the next, or of the style that is between.
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

  /// The device's styles in front of a place.
  private func styleAtEnd(of end: Int) -> [UInt8] {
    var result = style
    var index = 0
    while let start = bytes[index..<end].firstIndex(of: .escape) {
      let final = bytes[start..<end].firstIndex(of: UInt8(ascii: "m")) ?? end - 1
      let sequence = bytes[start...final]
      // The parameters begin behind `ESC [`; without any, and with a 0 in front, all is taken back.
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
