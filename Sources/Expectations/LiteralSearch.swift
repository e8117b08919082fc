/// Bytes to search for, with the table of Knuth, Morris and Pratt, "Fast pattern matching in strings", SIAM
/// Journal on Computing 6 (2), 1977.
struct Literal: Hashable, Sendable {
  let bytes: [UInt8]
  /// For each number of bytes that have matched, less one: how many of them are also a beginning of the literal,
  /// if the next byte does not match.
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
  /// The number of bytes that have matched so far.
  private var count = 0

  init(for literal: Literal, from offset: Int) {
    self.literal = literal
    self.offset = offset
  }

  /// Searches the next piece of the stream. After a match, a new search begins where it ended.
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
