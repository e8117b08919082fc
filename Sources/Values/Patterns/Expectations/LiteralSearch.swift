/// Bytes to search for, prepared for the algorithm of Knuth, Morris and Pratt, "Fast pattern
/// matching in strings", SIAM Journal on Computing 6 (2), 1977.
struct Literal: Hashable, Sendable {
  let bytes: [UInt8]
  /// For each number of matched bytes, minus 1: the number of them that still match if the next
  /// byte does not.
  fileprivate let fallbacks: [Int]

  /// - Precondition: `bytes` is not empty.
  init(_ bytes: [UInt8]) {
    precondition(!bytes.isEmpty, "nothing to expect: the text is empty")
    self.bytes = bytes
    var fallbacks = [0]
    var count = 0
    for byte in bytes.dropFirst() {
      while count > 0, bytes[count] != byte { count = fallbacks[count - 1] }
      if bytes[count] == byte { count += 1 }
      fallbacks.append(count)
    }
    self.fallbacks = fallbacks
  }
}

/// Searches a stream of bytes for a literal, piece by piece.
struct LiteralSearch: Sendable {
  private let literal: Literal
  /// The offset of the next byte.
  private var offset: Int
  /// The number of bytes that match so far.
  private var count = 0

  init(for literal: Literal, from offset: Int) {
    self.literal = literal
    self.offset = offset
  }

  /// Searches the next piece of the stream. After a match, create a new search at its end.
  mutating func search(_ piece: UnsafeRawBufferPointer) -> Range<Int>? {
    for byte in piece {
      offset += 1
      while count > 0, literal.bytes[count] != byte { count = literal.fallbacks[count - 1] }
      if literal.bytes[count] == byte { count += 1 }
      if count == literal.bytes.count { return (offset - count)..<offset }
    }
    return nil
  }
}
