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

/// The bytes of an incomplete UTF-8 character.
private struct PartialCharacter {
  private var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }

  private static let substitute: UInt32 = 0x1A

  /// Adds a byte.
  ///
  /// - Returns: the code points that are now complete, with the numbers of their bytes.
  mutating func append(_ byte: UInt8) -> [(scalar: UInt32, count: Int)] {
    bytes.append(byte)
    if let length = Self.length(of: bytes) {
      guard bytes.count == length else { return [] }
      defer { bytes = [] }
      return [(Self.scalar(of: bytes), length)]
    }
    // The last byte does not belong to the character. It may begin another one.
    let isAlone = bytes.count == 1
    let ill = bytes.dropLast(isAlone ? 0 : 1).map { _ in (scalar: Self.substitute, count: 1) }
    bytes = []
    return isAlone ? ill : ill + append(byte)
  }

  /// The length of the character that begins with these bytes; nil if there is none. See RFC
  /// 3629, section 4.
  private static func length(of bytes: [UInt8]) -> Int? {
    let second: ClosedRange<UInt8>
    let length: Int
    switch bytes[0] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    if bytes.count > 1, !second.contains(bytes[1]) { return nil }
    guard bytes.dropFirst(2).allSatisfy({ (0x80...0xBF).contains($0) }) else { return nil }
    return length
  }

  private static func scalar(of bytes: [UInt8]) -> UInt32 {
    guard bytes.count > 1 else { return UInt32(bytes[0]) }
    let lead = UInt32(bytes[0]) & (0x7F >> UInt32(bytes.count))
    return bytes.dropFirst().reduce(lead) { $0 << 6 | UInt32($1) & 0x3F }
  }
}
