import TextTools

/// The character sets that a device has chosen for its bytes.
///
/// They never reach the user's terminal: characters of another set are translated to Unicode, so
/// that nothing lasts. The sets are ASCII, that of the United Kingdom, the special graphics of
/// DEC terminals (VT220 manual, table 2-4), and code page 437, which the Linux console shows
/// after SGR 11 and 12 (console_codes(4)). Any other set counts as ASCII.
struct CharacterSets: Sendable {
  /// The raw values are the final characters of SCS.
  private enum Set: Unicode.Scalar {
    case ascii = "B"
    case unitedKingdom = "A"
    case graphics = "0"
  }

  private struct Choice {
    /// G0 to G3.
    var sets: [Set] = Array(repeating: .ascii, count: 4)
    /// The number of the set in use.
    var inUse = 0
    /// The number of the set of the next character only (SS2, SS3).
    var forNext: Int?
    /// The number of the font: 0, or 1 or 2 for code page 437. In font 2, the highest bit of all
    /// bytes is set.
    var font = 0

    /// The sequences by which a device makes this choice.
    var sequences: [UInt8] {
      var bytes: [UInt8] = []
      for (intermediate, set) in zip("()*+", sets) {
        bytes.append("\u{1B}\(intermediate)\(set.rawValue)")
      }
      bytes.append(["\u{F}", "\u{E}", "\u{1B}n", "\u{1B}o"][inUse])
      bytes.append("\u{1B}[\(10 + font)m")
      if let forNext { bytes.append(forNext == 2 ? "\u{1B}N" : "\u{1B}O") }
      return bytes
    }
  }

  private var choice = Choice()
  /// The choice that was saved with the cursor.
  private var saved = Choice()

  /// Whether characters are as they are.
  var isASCII: Bool {
    choice.forNext == nil && choice.font == 0 && choice.sets[choice.inUse] == .ascii
  }

  /// Whether bytes above 7F, and most control characters, are characters of code page 437.
  var isCodePage: Bool { choice.font > 0 }

  /// Selects the original sets: DECSTR.
  mutating func reset() { choice = Choice() }

  /// Saves the choice with the cursor: DECSC.
  mutating func save() { saved = choice }

  /// Restores the choice with the cursor: DECRC.
  mutating func restore() { choice = saved }

  /// Obeys a control character or an escape sequence that chooses a set.
  ///
  /// - Returns: whether it is one.
  mutating func obey(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let final = Unicode.Scalar(bytes[bytes.count - 1])
    switch (bytes.count, final) {
    // SI, SO.
    case (1, "\u{F}"): choice.inUse = 0
    case (1, "\u{E}"): choice.inUse = 1
    // LS2, LS3, SS2, SS3.
    case (2, "n"): choice.inUse = 2
    case (2, "o"): choice.inUse = 3
    case (2, "N"): choice.forNext = 2
    case (2, "O"): choice.forNext = 3
    // SCS for G0 to G3.
    case (3..., _) where (UInt8(ascii: "(")...UInt8(ascii: "+")).contains(bytes[1]):
      choice.sets[Int(bytes[1] - UInt8(ascii: "("))] =
        Set(rawValue: final) ?? .ascii
    default: return false
    }
    return true
  }

  /// The sequences by which a device makes the present choice, and the saved one.
  var sequences: [UInt8] { choice.sequences }
  var savedSequences: [UInt8] { saved.sequences }

  /// Chooses a font: SGR 10 to 12.
  mutating func chooseFont(_ number: Int) { choice.font = number }

  /// Translates a character.
  mutating func translate(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if choice.font == 2, scalar.isASCII { return Self.codePage[Int(scalar.value) | 0x80] }
    defer { choice.forNext = nil }
    switch choice.sets[choice.forNext ?? choice.inUse] {
    case .ascii: return scalar
    case .unitedKingdom: return scalar == "#" ? "£" : scalar
    case .graphics:
      guard (0x5F...0x7E).contains(scalar.value) else { return scalar }
      return Self.graphics[Int(scalar.value) - 0x5F]
    }
  }

  /// The character of code page 437 for a byte that is not printable ASCII.
  func codePageCharacter(_ byte: UInt8) -> Unicode.Scalar {
    Self.codePage[Int(choice.font == 2 ? byte | 0x80 : byte)]
  }

  /// The characters from 5F to 7E.
  private static let graphics = Array(
    "\u{A0}◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·".unicodeScalars)

  private static let codePage = Array(
    ("\u{A0}☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
      + String(decoding: UInt8(0x20)..<0x7F, as: UTF8.self) + "⌂"
      + "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»"
      + "░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀"
      + "αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)
}

extension Unicode.Scalar {
  /// The character of ASCII that terminals without line drawing show for it; nil if it is another
  /// one. See "acs" in curs_add_wch(3).
  var asciiGraphic: Unicode.Scalar? {
    switch self {
    case "\u{A0}": " "
    case "◆": "+"
    case "▒", "░", "▓": ":"
    case "█", "▄", "▌", "▐", "▀", "■": "#"
    case "°": "'"
    case "±": "#"
    case "─", "━", "═", "⎺", "⎻", "⎼": "-"
    case "⎽": "_"
    case "│", "║": "|"
    case "≤": "<"
    case "≥": ">"
    case "π": "*"
    case "≠": "!"
    case "·", "•": "o"
    case "→", "►": ">"
    case "←", "◄": "<"
    case "↑", "▲": "^"
    case "↓", "▼": "v"
    case "\u{2500}"..."\u{256C}": "+"
    default: nil
    }
  }
}
