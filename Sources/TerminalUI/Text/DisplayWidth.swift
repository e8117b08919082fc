/// How many columns text takes on a terminal.
///
/// As wcwidth(3) has it: two for what Unicode calls wide or an emoji, none for what combines with
/// what is before it. Terminals differ about emoji of several scalars; where it matters that nothing
/// runs over the edge, lines are drawn with the automatic wrap switched off.
extension Unicode.Scalar {
  /// How many columns the scalar takes: 0, 1 or 2. Control characters take none.
  public var displayWidth: Int {
    // What nearly all text consists of.
    if (0x20..<0x7F).contains(value) { return 1 }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark:
      return 0
    case .format:
      // The soft hyphen is shown by terminals.
      return value == 0xAD ? 1 : 0
    default:
      // The vowels and final consonants of a Korean syllable are drawn onto its first one.
      if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
      return isWide ? 2 : 1
    }
  }

  private var isWide: Bool {
    guard value >= 0x1100 else { return false }
    // Half of a flag: two of them are one emoji, and two columns.
    if (0x1F1E6...0x1F1FF).contains(value) { return false }
    return properties.isEmojiPresentation || Self.wideRanges.contains { $0.contains(value) }
  }

  /// East_Asian_Width W and F of the Unicode Character Database, without the emoji. Unassigned code
  /// points between wide ones are taken in, which keeps the table short.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF,
    0x4E00...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE6B,
    0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}

extension Character {
  /// How many columns the character takes: 0, 1 or 2.
  ///
  /// What is joined to one character takes the columns of its widest part.
  public var displayWidth: Int {
    let scalars = unicodeScalars
    // Variation selector 16 asks for an emoji; two halves of a flag are one.
    if scalars.count > 1 {
      if scalars.contains("\u{FE0F}") { return 2 }
      if scalars.allSatisfy({ (0x1F1E6...0x1F1FF).contains($0.value) }) { return 2 }
    }
    return scalars.map(\.displayWidth).max() ?? 0
  }
}

extension StringProtocol {
  /// How many columns the text takes.
  public var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// The text in no more than so many columns, an ellipsis in place of what is left out.
  ///
  /// - Parameters:
  ///   - width: how many columns there are; none for a negative number.
  ///   - ellipsis: one column or more, shown where text is missing if it fits.
  public func truncated(toWidth width: Int, ellipsis: String = "…") -> String {
    guard displayWidth > width else { return String(self) }
    let mark = ellipsis.displayWidth <= width ? ellipsis : ""
    return prefix(ofWidth: width - mark.displayWidth) + mark
  }

  /// The longest beginning that takes no more than so many columns.
  func prefix(ofWidth width: Int) -> String {
    var left = width
    return String(
      prefix { character in
        left -= character.displayWidth
        return left >= 0
      })
  }
}

extension String {
  /// The text with spaces after it, so that it takes at least so many columns.
  func padded(toWidth width: Int) -> String {
    let missing = width - displayWidth
    return missing > 0 ? self + String(repeating: " ", count: missing) : self
  }
}
