/// Decodes UTF-8 one byte at a time.
///
/// Invalid bytes are reported as the Unicode Standard recommends (chapter 3, "U+FFFD Substitution
/// of Maximal Subparts"): one error for each longest beginning of a character.
struct UTF8Assembler {
  /// The effect of a byte.
  enum Step: Equatable {
    /// More bytes are needed.
    case incomplete
    case scalar(Unicode.Scalar)
    /// The byte cannot begin a character.
    case invalid
    /// The previous character is incomplete. Pass the byte again.
    case cutShort
  }

  private var value: UInt32 = 0
  private var missing = 0
  /// The valid range of the next byte. After some first bytes it is smaller than 0x80...0xBF, to
  /// exclude overlong forms, surrogates and values above U+10FFFF.
  private var allowed: ClosedRange<UInt8> = 0x80...0xBF

  mutating func append(_ byte: UInt8) -> Step {
    guard missing > 0 else { return begin(byte) }
    guard allowed.contains(byte) else {
      missing = 0
      return .cutShort
    }
    allowed = 0x80...0xBF
    value = value << 6 | UInt32(byte & 0x3F)
    missing -= 1
    guard missing == 0 else { return .incomplete }
    return Unicode.Scalar(value).map(Step.scalar) ?? .invalid
  }

  private mutating func begin(_ byte: UInt8) -> Step {
    switch byte {
    case 0x00...0x7F: return .scalar(Unicode.Scalar(byte))
    case 0xC2...0xDF: expect(1, after: byte & 0x1F)
    case 0xE0: expect(2, after: byte & 0x0F, 0xA0...0xBF)
    case 0xED: expect(2, after: byte & 0x0F, 0x80...0x9F)
    case 0xE1...0xEF: expect(2, after: byte & 0x0F)
    case 0xF0: expect(3, after: byte & 0x07, 0x90...0xBF)
    case 0xF4: expect(3, after: byte & 0x07, 0x80...0x8F)
    case 0xF1...0xF3: expect(3, after: byte & 0x07)
    default: return .invalid
    }
    return .incomplete
  }

  private mutating func expect(
    _ number: Int, after bits: UInt8, _ next: ClosedRange<UInt8> = 0x80...0xBF
  ) {
    value = UInt32(bits)
    missing = number
    allowed = next
  }
}
