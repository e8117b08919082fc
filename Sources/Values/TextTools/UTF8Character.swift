/// A UTF-8 character that is decoded byte by byte.
///
/// Well-formed sequences are those of table 3-7 of the Unicode standard: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
@frozen
package struct UTF8Character: Sendable {
  @usableFromInline var value: UInt32
  /// The number of bytes that have not been added.
  @usableFromInline package var missingCount: Int
  /// The valid range of the next byte. After some first bytes it is narrower than that of
  /// other continuation bytes.
  @usableFromInline var allowed: ClosedRange<UInt8>

  /// Begins a character of two to four bytes; nil if the byte cannot begin one.
  @inlinable
  package init?(first byte: UInt8) {
    allowed = 0x80...0xBF
    switch byte {
    case 0xC2...0xDF: (missingCount, value) = (1, UInt32(byte & 0x1F))
    case 0xE0...0xEF: (missingCount, value) = (2, UInt32(byte & 0x0F))
    case 0xF0...0xF4: (missingCount, value) = (3, UInt32(byte & 0x07))
    default: return nil
    }
    switch byte {
    case 0xE0: allowed = 0xA0...0xBF
    case 0xED: allowed = 0x80...0x9F
    case 0xF0: allowed = 0x90...0xBF
    case 0xF4: allowed = 0x80...0x8F
    default: break
    }
  }

  /// The character of two to four bytes at a position of a text; nil if there is no complete one.
  @inlinable
  package static func scalar(
    in text: UnsafeRawBufferPointer, at start: Int
  ) -> Unicode.Scalar? {
    guard var character = UTF8Character(first: text[start]) else { return nil }
    var index = start + 1
    while !character.isComplete {
      guard index < text.count, character.append(text[index]) else { return nil }
      index += 1
    }
    return Unicode.Scalar(character.codePoint)
  }

  /// Adds the next byte.
  ///
  /// - Returns: whether it belongs to the character. Otherwise the character is incomplete.
  @inlinable
  package mutating func append(_ byte: UInt8) -> Bool {
    guard allowed.contains(byte) else { return false }
    value = value << 6 | UInt32(byte & 0x3F)
    missingCount -= 1
    allowed = 0x80...0xBF
    return true
  }

  /// Whether all bytes have been added.
  @inlinable package var isComplete: Bool { missingCount == 0 }

  /// The code point of the complete character.
  @inlinable package var codePoint: UInt32 { value }

  /// Whether the complete character is text only.
  @inlinable package var isText: Bool {
    switch value {
    // C1: many terminals treat U+009B as CSI, even in UTF-8.
    case 0x80...0x9F: false
    // Marks that change the direction of the following text: they could show text in another order
    // until the end of the line.
    case 0x202A...0x202E, 0x2066...0x206F: false
    default: true
    }
  }
}
