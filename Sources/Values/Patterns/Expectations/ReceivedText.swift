/// The text that a device has sent since the last match, and the search for one of several
/// patterns in it.
///
/// ```swift
/// var text = ReceivedText(expecting: [.text("login: "), try .regex(#"(\w+)@[\w-]+:\S+[$#] "#)])
/// text.append(piece)
/// if let match = text.look() { print(match.index, match.text(1) ?? "") }
/// ```
///
/// It is a value and has no clock: the caller decides how long to wait. The memory and the time for
/// each byte are bounded. Only the end of a long text is kept, for captures and for patterns that
/// are set later.
public struct ReceivedText: Sendable {
  /// A match.
  public struct Match: Hashable, Sendable {
    /// The index of the pattern.
    public let index: Int
    /// The text between the last match and this one.
    ///
    /// If a text began more than ``ReceivedText/capacity`` bytes ago, only its end is known, here
    /// and in ``captures``.
    public let before: [UInt8]
    /// The text of the whole match, then of its groups; nil for a group that did not participate.
    public let captures: [[UInt8]?]
    /// The number of bytes from the first byte that was appended to the end of the match.
    public let end: Int

    /// The text of a group as a string; nil if the group did not participate. Group 0 is the whole
    /// match. Each invalid byte is replaced by U+001A (SUBSTITUTE), as in the search.
    ///
    /// - Precondition: The pattern has the group.
    public func text(_ group: Int = 0) -> String? { captures[group].map(String.init(received:)) }
  }

  /// The number of bytes that are kept at least.
  public static let capacity = 49_152
  /// The maximum number of bytes that are searched at once, and so the maximum number that are
  /// searched again after a match.
  static let step = 16_384

  /// The patterns to search for; empty for none. New patterns are searched for in all bytes
  /// that are kept.
  public var patterns: [ExpectedPattern] {
    didSet { restart() }
  }

  /// The bytes that are kept. A slice, because removing bytes from its start does not
  /// move the others.
  private var bytes: ArraySlice<UInt8> = []
  /// The byte before these; nil at the start of a text.
  private var previous: UInt8?
  /// The number of bytes that were appended.
  public private(set) var receivedCount = 0
  private var searches: [any StreamSearch] = []
  /// The number of bytes that were searched or are no longer kept.
  private var searchedCount = 0

  /// Creates an empty text.
  public init(expecting patterns: [ExpectedPattern] = []) {
    self.patterns = patterns
    restart()
  }

  private var start: Int { receivedCount - bytes.count }

  /// The index in ``bytes`` of the byte with an offset in the stream.
  private func index(_ offset: Int) -> Int { bytes.endIndex - (receivedCount - offset) }

  /// Appends received bytes.
  public mutating func append(_ piece: some Sequence<UInt8>) {
    let count = bytes.count
    bytes += piece
    receivedCount += bytes.count - count
    forgetOld()
  }

  /// Discards the text.
  public mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    previous = nil
    restart()
  }

  /// Searches the bytes that were appended since the last call.
  ///
  /// - Returns: the match that begins first. If several begin at the same byte, the match of
  ///   the first pattern. The text up to the end of the match is removed. The next call
  ///   searches the rest.
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

  /// The bytes of a range that are kept.
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
    // A byte above ASCII is part of a character that neither ends a line nor belongs to a word.
    let before = previous.map { $0 < 0x80 ? UInt32($0) : 0xFFFD }
    searches = patterns.map { pattern in
      switch pattern.content {
      case .literal(let literal): LiteralSearch(for: literal, from: start)
      case .regex(let pattern): PatternSearch(for: pattern, from: start, after: before)
      }
    }
    searchedCount = start
  }

  /// Drops old bytes, at least ``capacity`` at a time, so that each byte is moved only once.
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
  /// - Returns: the whole match, then the groups, in byte offsets from the start of the stream; nil
  ///   if there is no match yet.
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
