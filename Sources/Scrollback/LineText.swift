import Logs

/// Reads the text of lines: without the line's end, escape sequences and control characters.
///
/// It keeps a buffer, so that a line costs no allocation.
public struct LineText {
  private var buffer: [UInt8] = []

  /// Creates a reader.
  public init() {}

  /// Calls a function with the text of a line, in UTF-8. The bytes are valid during the call.
  public mutating func with<Result>(
    _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    var end = line.count
    while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
    let content = UnsafeRawBufferPointer(rebasing: line[..<end])
    if Self.isPlain(content) { return body(content) }
    buffer.removeAll(keepingCapacity: true)
    var stripper = SequenceStripper()
    stripper.strip(content, into: &buffer)
    // The end of a line may cut a character: that is one more byte that is not UTF-8.
    return buffer.withUnsafeBytes(body)
  }

  /// Whether all bytes are printable ASCII or tabs.
  private static func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < bytes.count {
      if bytes.count - index >= 8 {
        let word = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        // The high bit of a byte is set if it is below 0x20 (by the borrow), above 0x7F (it was), or
        // 0x7F (by the sum). Borrow and carry reach only bytes behind one that is marked already.
        let marks = (word &- 0x2020_2020_2020_2020) | word | (word &+ 0x0101_0101_0101_0101)
        let found = marks & 0x8080_8080_8080_8080
        if found == 0 {
          index += 8
          continue
        }
        index += found.trailingZeroBitCount / 8
      }
      switch bytes[index] {
      case 0x09, 0x20..<0x7F: index += 1
      default: return false
      }
    }
    return true
  }
}
