import Patterns

/// What a device has sent since the last match, and the search for one of several patterns in it.
///
/// ```swift
/// var text = ReceivedText(expecting: [.text("login: "), try .regex(#"(\w+)@[\w-]+:\S+[$#] "#)])
/// text.append(piece)
/// if let match = text.look() { print(match.index, match.text(1) ?? "") }
/// ```
///
/// It is a value without a clock: who receives the bytes decides how long to wait. Memory and work are bounded:
/// each byte is searched once for the present patterns, and of a long text only the end is kept, for captures and
/// for patterns that are set later.
public struct ReceivedText: Sendable {
  /// A match.
  public struct Match: Hashable, Sendable {
    /// The index of the pattern.
    public let index: Int
    /// The text since the last match, up to this one.
    ///
    /// Of a text that began more than ``ReceivedText/capacity`` bytes ago, only the end is known, here and in
    /// ``captures``.
    public let before: [UInt8]
    /// The text of the whole match and of its groups; nil for a group that took no part.
    public let captures: [[UInt8]?]
    /// The number of bytes that were received up to the end of the match, counted from the start.
    public let end: Int

    /// The text of a group as a string; nil for a group that took no part. Group 0 is the whole match. A byte
    /// that is not UTF-8 becomes U+001A (SUBSTITUTE), as in a search.
    ///
    /// - Precondition: The pattern has that group.
    public func text(_ group: Int = 0) -> String? { captures[group].map(String.init(received:)) }
  }

  /// The number of bytes that are kept.
  public static let capacity = 49_152
  /// The most bytes that are searched at once. A search begins again where a match ended, so this is also the most
  /// that is searched again for each match.
  static let step = 16_384

  /// The patterns that are searched for, from the first byte that is kept; empty for none.
  public var patterns: [ExpectedPattern] {
    didSet { restart() }
  }

  /// The bytes that are kept: a slice, so that a match drops those before it without moving the others.
  private var bytes: ArraySlice<UInt8> = []
  /// The byte before those that are kept; nil where a text begins.
  private var previous: UInt8?
  /// The number of bytes that were received, counted from the start.
  public private(set) var receivedCount = 0
  private var searches: [any StreamSearch] = []
  /// The number of bytes that were searched, counted from the start.
  private var searchedCount = 0

  /// Creates an empty text.
  public init(expecting patterns: [ExpectedPattern] = []) {
    self.patterns = patterns
    restart()
  }

  private var start: Int { receivedCount - bytes.count }

  /// The index in ``bytes`` of the byte at an offset from the start of the stream.
  private func index(_ offset: Int) -> Int { bytes.endIndex - (receivedCount - offset) }

  /// Adds received bytes.
  public mutating func append(_ piece: some Sequence<UInt8>) {
    let count = bytes.count
    bytes += piece
    receivedCount += bytes.count - count
    forgetOld()
  }

  /// Forgets everything.
  public mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    previous = nil
    restart()
  }

  /// Searches what was added since the last call.
  ///
  /// - Returns: the match that begins first; of several that begin at one place, that of the first
  ///   pattern. The text up to its end is used up; the rest is searched in the next call.
  public mutating func look() -> Match? {
    guard !searches.isEmpty else { return nil }
    repeat {
      if let match = searchStep() { return match }
    } while searchedCount < receivedCount
    forgetOld()
    return nil
  }

  private mutating func searchStep() -> Match? {
    var best: (index: Int, ranges: [Range<Int>?], whole: Range<Int>)?
    bytes[index(searchedCount)...].prefix(Self.step).withUnsafeBytes { piece in
      searchedCount += piece.count
      for index in searches.indices {
        guard let ranges = searches[index].ranges(in: piece), let whole = ranges[0] else {
          continue
        }
        if best.map({ whole.lowerBound < $0.whole.lowerBound }) ?? true {
          best = (index, ranges, whole)
        }
      }
    }
    guard let best else { return nil }
    let match = Match(
      index: best.index, before: kept(start..<max(start, best.whole.lowerBound)),
      captures: best.ranges.map { $0.map(kept) }, end: best.whole.upperBound)
    useUp(through: match.end)
    return match
  }

  /// The bytes of a range, without those that were forgotten.
  private func kept(_ range: Range<Int>) -> [UInt8] {
    let known = range.clamped(to: start..<receivedCount)
    return Array(bytes[index(known.lowerBound)..<index(known.upperBound)])
  }

  private mutating func useUp(through end: Int) {
    bytes.removeFirst(bytes.count - (receivedCount - end))
    previous = nil
    restart()
  }

  private mutating func restart() {
    // A byte beyond ASCII is a part of a character that neither ends a line nor is in a word.
    let before = previous.map { $0 < 0x80 ? UInt32($0) : 0xFFFD }
    searches = patterns.map { pattern in
      switch pattern.content {
      case .literal(let literal): LiteralSearch(for: literal, from: start)
      case .regex(let pattern): PatternSearch(for: pattern, from: start, after: before)
      }
    }
    searchedCount = start
  }

  /// Drops old bytes, as many at a time as are kept, so that each byte is moved only once.
  private mutating func forgetOld() {
    guard bytes.count >= 2 * Self.capacity else { return }
    let searched = searches.isEmpty ? bytes.count : searchedCount - start
    let count = min(bytes.count - Self.capacity, searched)
    guard count > 0 else { return }
    previous = bytes[index(start + count - 1)]
    bytes.removeFirst(count)
    if searches.isEmpty { searchedCount = start }
  }
}

/// The search for one pattern in a stream of bytes, piece by piece.
private protocol StreamSearch: Sendable {
  /// Searches the next piece.
  ///
  /// - Returns: the whole match, then the groups, in byte offsets from the start of the stream; nil if there is
  ///   no match yet.
  mutating func ranges(in piece: UnsafeRawBufferPointer) -> [Range<Int>?]?
}

extension LiteralSearch: StreamSearch {
  fileprivate mutating func ranges(in piece: UnsafeRawBufferPointer) -> [Range<Int>?]? {
    search(piece).map { [$0] }
  }
}

extension PatternSearch: StreamSearch {
  fileprivate mutating func ranges(in piece: UnsafeRawBufferPointer) -> [Range<Int>?]? {
    search(piece)?.ranges
  }
}
