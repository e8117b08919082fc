/// Counts how many bytes of a stream are text: printable ASCII, the control characters of text, and
/// complete UTF-8 characters.
package struct TextTally: Hashable {
  /// The number of bytes, without those of an incomplete character.
  package private(set) var byteCount = 0
  /// The number of bytes that are text.
  package private(set) var textCount = 0
  /// The number of bytes received of the present character, and the number of missing ones.
  private var begunCount = 0
  private var missingCount = 0

  package init() {}

  package mutating func add(_ byte: UInt8) {
    if missingCount > 0 {
      if byte & 0xC0 == 0x80 { return addContinuation() }
      byteCount += begunCount
      (begunCount, missingCount) = (0, 0)
    }
    switch byte {
    case 0x20..<0x7F, 0x07...0x0D, 0x1B:
      byteCount += 1
      textCount += 1
    case 0xC2...0xDF: (begunCount, missingCount) = (1, 1)
    case 0xE0...0xEF: (begunCount, missingCount) = (1, 2)
    case 0xF0...0xF4: (begunCount, missingCount) = (1, 3)
    default: byteCount += 1
    }
  }

  /// Adds a continuation byte of a character.
  private mutating func addContinuation() {
    begunCount += 1
    missingCount -= 1
    guard missingCount == 0 else { return }
    byteCount += begunCount
    textCount += begunCount
    begunCount = 0
  }
}
