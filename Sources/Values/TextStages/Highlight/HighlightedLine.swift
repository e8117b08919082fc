import Patterns
import TextTools

/// A line that is shown as it arrives, and highlighted when its matches are known.
struct HighlightedLine {
  /// The characters and the device's styles, as they were received.
  private var bytes: [UInt8] = []
  /// The number of bytes that are on the screen.
  private var shownCount = 0
  /// The offset of the first byte that can still be overwritten.
  private var reachable = 0
  /// The device's styles at the beginning of the line.
  private var style = Rendition()
  /// The highlight of each character that is on the screen; empty if there are none.
  private var painted: [Int?] = []
  /// Whether the line begins in the first column, so that its width determines the end of its row.
  private(set) var isAtMargin = true

  /// Whether it has no characters, but perhaps styles.
  private(set) var isEmpty = true

  /// The number of bytes.
  var count: Int { bytes.count }

  /// Adds characters or a tab.
  mutating func append(text: UnsafeRawBufferPointer) {
    bytes += text
    isEmpty = false
  }

  /// Adds a style of the device.
  mutating func append(style: UnsafeRawBufferPointer) { bytes += style }

  /// Makes the text on the screen unreachable. The following text begins in the first column or at
  /// an unknown position.
  mutating func leaveShown(forMargin isAtMargin: Bool) {
    reachable = shownCount
    self.isAtMargin = isAtMargin
  }

  /// Begins a new line in the first column or at an unknown position.
  mutating func begin(atMargin isAtMargin: Bool) {
    style.apply(sequencesIn: bytes)
    self.isAtMargin = isAtMargin
    bytes.removeAll(keepingCapacity: true)
    painted.removeAll(keepingCapacity: true)
    (shownCount, reachable, isEmpty) = (0, 0, true)
  }

  /// Calls a function with the line if it is only whole characters: no styles and no tabs.
  func withPlainText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result? {
    bytes.withUnsafeBytes {
      PlainText.textEnd(in: $0, from: 0, isUTF8: true) == $0.count ? body($0) : nil
    }
  }

  /// Writes the part that is not on the screen yet, without highlights.
  mutating func putOut(into output: inout [UInt8]) {
    output += bytes[shownCount...]
    shownCount = bytes.count
  }

  /// Writes the part that is not on the screen yet, and rewrites the part whose
  /// highlights have changed.
  ///
  /// - Parameters:
  ///   - numbers: the indices of those that may have a match.
  ///   - budget: the number of steps that the search may take. It is reduced by those taken.
  ///   - columns: the number of columns of a row in which the line can be rewritten.
  mutating func paint(
    with highlights: [Highlight], _ numbers: [Int], budget: inout Int, onRowOf columns: Int,
    into output: inout [UInt8]
  ) {
    if isEmpty || numbers.isEmpty && painted.isEmpty { return putOut(into: &output) }
    let characters = Characters(bytes)
    var wanted = [Int?](repeating: nil, count: characters.scalars.count)
    var isPlain = painted.isEmpty
    for number in numbers {
      let pattern = highlights[number].pattern
      for match in pattern.matches(in: characters.scalars, budget: &budget) {
        for index in match { wanted[index] = number }
        isPlain = false
      }
    }
    if isPlain { return putOut(into: &output) }
    let shown = characters.ranges.prefix { $0.lowerBound < shownCount }.count
    painted += repeatElement(nil, count: shown - painted.count)
    let (first, distance) = firstToRepaint(
      of: characters, where: { painted[$0] != wanted[$0] }, upTo: shown, onRowOf: columns)
    var brush = Brush(style: style, bytes: bytes, offset: shownCount)
    if first < shown {
      // Moves back to that part by CUB. Rewriting it moves the cursor to its old position.
      output.append("\u{1B}[")
      output.append(decimal: UInt64(distance))
      output.append("D")
      brush.offset = characters.ranges[first].lowerBound
      brush.restoreStyle(into: &output)
    }
    for index in first..<wanted.count {
      let colour = wanted[index].map { highlights[$0].colour }
      brush.paint(characters.ranges[index], in: colour, into: &output)
    }
    brush.finish(into: &output)
    painted.replaceSubrange(first..., with: wanted[first...])
    shownCount = bytes.count
  }

  /// The first character on the screen whose highlight has changed, and its distance from the
  /// cursor in columns; the number of shown characters if it cannot be rewritten.
  private func firstToRepaint(
    of characters: Characters, where hasChanged: (Int) -> Bool, upTo shown: Int,
    onRowOf columns: Int
  ) -> (index: Int, distance: Int) {
    guard isAtMargin, (0..<shown).contains(where: hasChanged) else { return (shown, 0) }
    // From the cursor back to where the distance is not known.
    var (index, distance, width) = (shown, 0, 0)
    var first = (index: shown, distance: 0)
    var isKnown = true
    while index > 0 {
      index -= 1
      let columns = characters.width(at: index)
      isKnown = isKnown && columns != nil && characters.ranges[index].lowerBound >= reachable
      width += columns ?? CursorPlace.tabDistance
      distance += columns ?? 0
      if isKnown, hasChanged(index) { first = (index, distance) }
    }
    // In the last column the cursor would not move on.
    return width < columns ? first : (shown, 0)
  }
}

/// The characters of a line.
private struct Characters {
  /// The characters to search. A tab is a blank.
  private(set) var scalars: [UInt32] = []
  /// The offsets of their bytes.
  private(set) var ranges: [Range<Int>] = []
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      for part in ScreenParts(bytes) {
        let end = offset + part.bytes.count
        defer { offset = end }
        if part.kind == .style { continue }
        let text = String(decoding: part.bytes, as: UTF8.self)
        // Bytes that are not UTF-8 are a part of their own.
        if part.kind == .tab || text.utf8.count != part.bytes.count {
          scalars.append(part.kind == .tab ? 0x20 : 0xFFFD)
          ranges.append(offset..<end)
          continue
        }
        for scalar in text.unicodeScalars {
          scalars.append(scalar.value)
          ranges.append(offset..<offset + UTF8.width(scalar))
          offset += UTF8.width(scalar)
        }
      }
    }
  }

  /// The width of a character in columns; nil if it is unknown: that of a tab. Terminals differ
  /// about characters that are joined.
  func width(at index: Int) -> Int? {
    if bytes[ranges[index].lowerBound] == .tab { return nil }
    let width = Unicode.Scalar(scalars[index]).map(\.displayWidth) ?? 0
    return width > 0 ? width : nil
  }
}

/// Writes a part of a line with highlights, which take the place of the device's styles.
private struct Brush {
  /// The device's styles, and the offset before which they apply.
  private var style: Rendition
  private var styled = 0
  private let bytes: [UInt8]
  /// The offset of the next byte.
  var offset: Int
  private var colour: HighlightColour?

  init(style: Rendition, bytes: [UInt8], offset: Int) {
    (self.style, self.bytes, self.offset) = (style, bytes, offset)
  }

  /// Writes the device's styles before a character, and the character in a colour.
  mutating func paint(
    _ range: Range<Int>, in colour: HighlightColour?, into output: inout [UInt8]
  ) {
    if colour != self.colour || offset < range.lowerBound {
      if self.colour != nil { restoreStyle(into: &output) }
      output += bytes[offset..<range.lowerBound]
      self.colour = colour
      if let colour {
        output.append("\u{1B}[0;")
        output += colour.parameters.utf8
        output.append("m")
      }
    }
    output += bytes[range]
    offset = range.upperBound
  }

  /// Writes the rest of the line.
  mutating func finish(into output: inout [UInt8]) {
    if colour != nil { restoreStyle(into: &output) }
    output += bytes[offset...]
  }

  /// Restores the device's styles at the next byte.
  mutating func restoreStyle(into output: inout [UInt8]) {
    style.apply(sequencesIn: Array(bytes[styled..<offset]))
    styled = offset
    style.restore(into: &output)
  }
}
