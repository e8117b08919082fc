import TextTools

/// Searches a stream of bytes for a pattern, piece by piece.
///
/// The stream may be unlimited: the size of the pattern limits the memory, and each piece is read
/// once. The stream is UTF-8. Each invalid byte counts as U+001A (SUBSTITUTE).
///
/// The result after each piece is that for the stream so far, however it was split. `$` is met
/// at the present end too, and a repetition matches up to it. An incomplete character waits for
/// its last bytes.
public struct PatternSearch: Sendable {
  /// A match, in byte offsets from the start of the stream.
  public struct Match: Hashable, Sendable {
    /// The whole match, then the groups; nil for a group that did not participate.
    public let ranges: [Range<Int>?]

    /// The whole match.
    public var whole: Range<Int> { ranges[0]! }
  }

  private var matcher: PatternMatcher
  /// The offset of the next byte.
  private var offset: Int
  private var previous: UInt32?
  private var character = PartialCharacter()

  /// Starts a search.
  ///
  /// - Parameters:
  ///   - pattern: the expression to search for.
  ///   - offset: the offset of the first byte.
  ///   - previous: the code point before it; nil at the start of the text, where `^` is met.
  public init(for pattern: Pattern, from offset: Int = 0, after previous: UInt32? = nil) {
    matcher = PatternMatcher(pattern.program, groupCount: pattern.groupCount)
    self.offset = offset
    self.previous = previous
  }

  /// Searches the next piece of the stream. After a match, a new search begins at its end.
  ///
  /// - Returns: the match in the stream so far; nil if there is none yet.
  public mutating func search(_ bytes: UnsafeRawBufferPointer) -> Match? {
    for byte in bytes {
      // The common case: an ASCII character with which no match begins.
      if byte < 0x80, character.isEmpty {
        if !(matcher.isIdle && !matcher.canBegin(with: UInt32(byte))) {
          matcher.step(at: offset, after: previous, before: UInt32(byte))
          if matcher.isDecided { return match }
        }
        previous = UInt32(byte)
        offset += 1
      } else if handleRare(byte) {
        return match
      }
    }
    return matchAtEnd()
  }

  private var match: Match? { matcher.found.map(Match.init(ranges:)) }

  /// Handles a byte of a multi-byte character, or one that cuts such a character short.
  ///
  /// - Returns: whether a match is decided.
  private mutating func handleRare(_ byte: UInt8) -> Bool {
    for (scalar, count) in character.append(byte) {
      matcher.step(at: offset, after: previous, before: scalar)
      if matcher.isDecided { return true }
      previous = scalar
      offset += count
    }
    return false
  }

  /// The match if the stream ended here. It does not affect the search.
  private mutating func matchAtEnd() -> Match? {
    // An incomplete character is not the end of a line or of the text.
    let next: UInt32? = character.isEmpty ? nil : 0xFFFD
    if matcher.isIdle && !matcher.canBegin(with: next) { return nil }
    var trial = matcher
    trial.step(at: offset, after: previous, before: next)
    return trial.found.map(Match.init(ranges:))
  }
}

/// An incomplete UTF-8 character, and the number of its bytes so far.
private struct PartialCharacter {
  private var character: UTF8Character?
  private var count = 0

  var isEmpty: Bool { character == nil }

  private static let substitute: UInt32 = 0x1A

  /// Adds a byte.
  ///
  /// - Returns: the code points that are now complete, with the numbers of their bytes.
  mutating func append(_ byte: UInt8) -> [(scalar: UInt32, count: Int)] {
    if var character {
      let isPart = character.append(byte)
      self.character = isPart && !character.isComplete ? character : nil
      if !isPart {
        return Array(repeating: (Self.substitute, 1), count: count) + append(byte)
      }
      count += 1
      return character.isComplete ? [(character.codePoint, count)] : []
    }
    if byte < 0x80 { return [(UInt32(byte), 1)] }
    (character, count) = (UTF8Character(first: byte), 1)
    return character == nil ? [(Self.substitute, 1)] : []
  }
}
