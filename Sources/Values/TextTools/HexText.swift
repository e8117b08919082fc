/// Bytes in hexadecimal, as users and programs write them.
package enum HexText {
  /// Parses bytes: two hexadecimal digits each, with or without separators between the bytes.
  ///
  /// Blanks, tabs, `,`, `:`, `-` and `;` separate bytes or groups of bytes. A group may begin with
  /// `0x`. `01 03 00 6b`, `0103006B`, `0x01,0x03` and `00:1a-2b` are bytes. A text without digits
  /// has no bytes.
  ///
  /// - Throws: ``HexTextError`` with the position of the first mistake.
  package static func parse(_ text: String) throws(HexTextError) -> [UInt8] {
    var bytes: [UInt8] = []
    /// The first digit of a byte, and its column.
    var open: (digit: UInt8, column: Int)?
    /// The number of digits since the last separator or `0x`.
    var digitCount = 0
    /// The column of the `0` of a `0x` without digits yet.
    var prefixColumn: Int?
    var column = 0
    /// Whether the group began with `0x`, so that another one cannot follow.
    var hasPrefix = false
    for scalar in text.unicodeScalars {
      column += 1
      if let digit = digit(scalar) {
        digitCount += 1
        prefixColumn = nil
        if let first = open {
          bytes.append(first.digit << 4 | digit)
          open = nil
        } else {
          open = (digit, column)
        }
      } else if scalar == "x" || scalar == "X", digitCount == 1, !hasPrefix, let first = open,
        first.digit == 0
      {
        (open, digitCount, prefixColumn, hasPrefix) = (nil, 0, first.column, true)
      } else if isSeparator(scalar) {
        try checkEnd(open, prefixColumn)
        (digitCount, hasPrefix) = (0, false)
      } else {
        throw HexTextError(column: column, mistake: .notADigit(scalar))
      }
    }
    try checkEnd(open, prefixColumn)
    return bytes
  }

  /// Checks the end of a group of digits.
  private static func checkEnd(
    _ open: (digit: UInt8, column: Int)?, _ prefixColumn: Int?
  ) throws(HexTextError) {
    if let open { throw HexTextError(column: open.column, mistake: .halfAByte) }
    if let prefixColumn { throw HexTextError(column: prefixColumn, mistake: .onlyAPrefix) }
  }

  private static func digit(_ scalar: Unicode.Scalar) -> UInt8? {
    switch scalar {
    case "0"..."9": UInt8(scalar.value - 0x30)
    case "a"..."f": UInt8(scalar.value - 0x61 + 10)
    case "A"..."F": UInt8(scalar.value - 0x41 + 10)
    default: nil
    }
  }

  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case " ", "\t", ",", ":", "-", ";": true
    default: false
    }
  }

  /// Formats bytes as hexadecimal numbers with blanks between them.
  package static func spaced(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      text.append(hex: UInt64(byte), digits: 2)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Formats bytes as text; those that are not printable ASCII, and the backslash, as `\xHH`.
  package static func escaped(_ bytes: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\\") {
        text.append(byte)
      } else {
        text.append("\\x" as StaticString)
        text.append(hex: UInt64(byte), digits: 2)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Formats bytes as hexadecimal digits without separators.
  package static func digits(of bytes: UnsafeRawBufferPointer) -> String {
    bytes.map { ($0 < 0x10 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

/// The mistake in a text that is not bytes in hexadecimal.
package struct HexTextError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The position of the mistake in code points, counted from 1.
  package let column: Int
  /// What is wrong there.
  package let mistake: Mistake

  /// What can be wrong.
  package enum Mistake: Hashable, Sendable {
    /// The character is neither a digit nor a separator.
    case notADigit(Unicode.Scalar)
    /// A group of digits has an odd number of them. The column is that of the last digit.
    case halfAByte
    /// No digits follow `0x`.
    case onlyAPrefix
  }

  /// The mistake in words, with its column.
  package var description: String {
    switch mistake {
    case .notADigit(let scalar):
      "column \(column): \(Self.name(scalar)) is not a hexadecimal digit"
    case .halfAByte: "column \(column): a byte has two hexadecimal digits, here is only one"
    case .onlyAPrefix: "column \(column): no hexadecimal digits follow 0x"
    }
  }

  /// The character in quotes; its number if it cannot be shown.
  private static func name(_ scalar: Unicode.Scalar) -> String {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark, .spacingMark:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    default: return "'\(scalar)'"
    }
  }
}
