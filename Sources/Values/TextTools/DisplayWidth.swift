/// The width of text on a terminal, in columns.
///
/// Widths are those of wcwidth(3): 2 for wide characters and emoji, 0 for combining characters.
/// Terminals show emoji of several scalars differently. Lines that must not exceed the edge are
/// drawn with automatic wrap off.
extension Unicode.Scalar {
  /// The width of the scalar: 0, 1 or 2 columns. Control characters have the width 0.
  public var displayWidth: Int {
    // Nearly all text is ASCII.
    if (0x20..<0x7F).contains(value) { return 1 }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark:
      return 0
    case .format:
      // Terminals show the soft hyphen.
      return value == 0xAD ? 1 : 0
    default:
      // The vowels and final consonants of a Korean syllable are drawn onto its first letter.
      if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
      return isWide ? 2 : 1
    }
  }

  private var isWide: Bool {
    guard value >= 0x1100 else { return false }
    // Half of a flag. Two of them make one emoji of two columns.
    if (0x1F1E6...0x1F1FF).contains(value) { return false }
    return properties.isEmojiPresentation || Self.wideRanges.contains { $0.contains(value) }
  }

  /// The ranges with East_Asian_Width W and F in the Unicode Character Database, without the emoji.
  /// They include unassigned code points between wide ones, which keeps the table short.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}

extension Character {
  /// The width of the character: 0, 1 or 2 columns. It is the width of its widest scalar.
  public var displayWidth: Int {
    if let byte = asciiValue { return (0x20..<0x7F).contains(byte) ? 1 : 0 }
    let scalars = unicodeScalars
    // Variation selector 16 makes an emoji; so do two halves of a flag.
    if scalars.count > 1 {
      if scalars.contains("\u{FE0F}") { return 2 }
      if scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }) { return 2 }
    }
    return scalars.reduce(0) { max($0, $1.displayWidth) }
  }
}

extension StringProtocol {
  /// The width of the text, in columns.
  public var displayWidth: Int {
    if isPrintableASCII { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// Whether each byte is a character of one column. Splitting other text into characters is slow.
  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  /// The text in at most `width` columns. An ellipsis replaces the rest.
  ///
  /// - Parameters:
  ///   - width: the number of columns; a negative number counts as 0.
  ///   - ellipsis: one or more columns. It is omitted where it does not fit.
  public func truncated(toWidth width: Int, ellipsis: String = "…") -> String {
    guard displayWidth > width else { return String(self) }
    let mark = ellipsis.displayWidth <= width ? ellipsis : ""
    return prefix(ofWidth: width - mark.displayWidth) + mark
  }

  /// The longest prefix that fits in `width` columns.
  public func prefix(ofWidth width: Int) -> String {
    if isPrintableASCII { return String(prefix(Swift.max(0, width))) }
    var left = width
    return String(
      prefix { character in
        left -= character.displayWidth
        return left >= 0
      })
  }
}

extension String {
  /// The longest suffix that fits in `width` columns.
  package func suffix(ofWidth width: Int) -> String {
    String(String(reversed()).prefix(ofWidth: width).reversed())
  }

  /// The text broken into lines of a width, at spaces where possible. The spaces at a break are
  /// left out.
  ///
  /// - Parameters:
  ///   - width: the number of columns of each line.
  ///   - indentation: the number of spaces before each line but the first; less than `width`.
  ///   - losesNothing: whether the spaces at a break are kept, at the end of the line. It may then
  ///     also end after a comma.
  package func wrapped(
    toWidth width: Int, indentation: Int, losesNothing: Bool = false
  ) -> [String] {
    guard indentation < width, displayWidth > width else { return [self] }
    var lines: [String] = []
    var rest = self[...]
    while !rest.isEmpty {
      let indent = String(repeating: " ", count: lines.isEmpty ? 0 : indentation)
      let room = width - indent.count
      // A wide character does not fit into one column. The terminal decides what to do with it.
      let count = max(1, rest.prefix(room + 1).prefix(ofWidth: room).count)
      let piece = rest.prefix(count)
      var end = piece.endIndex
      if end < rest.endIndex, losesNothing || rest[end] != " ",
        let place = piece.lastIndex(where: { $0 == " " || losesNothing && $0 == "," }),
        piece[..<place].contains(where: { $0 != " " })
      {
        end = losesNothing ? piece.index(after: place) : place
      }
      lines.append(indent + piece[..<end])
      rest = rest[end...]
      if !losesNothing { rest = rest.drop { $0 == " " } }
    }
    return lines
  }

  /// The text followed by spaces up to a width, in columns.
  public func padded(toWidth width: Int) -> String {
    let missing = width - displayWidth
    return missing > 0 ? self + String(repeating: " ", count: missing) : self
  }
}
