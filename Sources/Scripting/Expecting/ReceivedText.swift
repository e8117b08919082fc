import Patterns

/// What a device has sent since the last match, and the search for expressions in it.
///
/// Memory and work are bounded: each byte is searched once for the present expressions, and of a long
/// text only the end is kept, for captures and for expressions that are set later.
public struct ReceivedText {
  /// A match.
  public struct Match: Hashable, Sendable {
    /// The index of the expression.
    public let index: Int
    /// The text of the whole match and of its groups; nil for a group that took no part. Of a text that
    /// began more than ``ReceivedText/capacity`` bytes ago, only the end is known.
    public let captures: [[UInt8]?]
    /// The number of bytes that were received up to the end of the match, counted from the start.
    public let end: Int
  }

  /// The number of bytes that are kept.
  public static let capacity = 49_152
  /// The number of bytes after which ``look()`` should be called.
  public static let step = 16_384

  /// The expressions that are searched for, from the first byte that is kept.
  public var expressions: [Expression] = [] {
    didSet { restart() }
  }

  private var bytes: [UInt8] = []
  /// The byte before those that are kept; nil where a text begins.
  private var previous: UInt8?
  /// The number of bytes that were received, counted from the start.
  public private(set) var receivedCount = 0
  private var searches: [PatternSearch] = []
  /// The number of bytes that were searched, counted from the start.
  private var searchedCount = 0

  /// Creates an empty text.
  public init() {}

  private var start: Int { receivedCount - bytes.count }

  /// Adds received bytes.
  public mutating func append(_ piece: UnsafeRawBufferPointer) {
    bytes += piece
    receivedCount += piece.count
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
  ///   expression. The text up to its end is used up.
  public mutating func look() -> Match? {
    guard !searches.isEmpty else { return nil }
    var best: (index: Int, ranges: [Range<Int>?], whole: Range<Int>)?
    bytes[(searchedCount - start)...].withUnsafeBytes { fresh in
      for index in searches.indices {
        guard let match = searches[index].search(fresh) else { continue }
        if best.map({ match.whole.lowerBound < $0.whole.lowerBound }) ?? true {
          best = (index, match.ranges, match.whole)
        }
      }
    }
    searchedCount = receivedCount
    guard let best else {
      forgetOld()
      return nil
    }
    let captures = best.ranges.map { $0.map(kept) }
    useUp(through: best.whole.upperBound)
    return Match(index: best.index, captures: captures, end: best.whole.upperBound)
  }

  /// The bytes of a range, without those that were forgotten.
  private func kept(_ range: Range<Int>) -> [UInt8] {
    let known = range.clamped(to: start..<receivedCount)
    return Array(bytes[(known.lowerBound - start)..<(known.upperBound - start)])
  }

  private mutating func useUp(through end: Int) {
    bytes.removeFirst(bytes.count - (receivedCount - end))
    previous = nil
    restart()
  }

  private mutating func restart() {
    // A byte beyond ASCII is a part of a character that neither ends a line nor is in a word.
    let before = previous.map { $0 < 0x80 ? UInt32($0) : 0xFFFD }
    searches = expressions.map { PatternSearch(for: $0.pattern, from: start, after: before) }
    searchedCount = start
  }

  /// Drops old bytes, as many at a time as are kept, so that each byte is moved only once.
  private mutating func forgetOld() {
    guard bytes.count >= 2 * Self.capacity else { return }
    let searched = searches.isEmpty ? bytes.count : searchedCount - start
    let count = min(bytes.count - Self.capacity, searched)
    guard count > 0 else { return }
    previous = bytes[count - 1]
    bytes.removeFirst(count)
    if searches.isEmpty { searchedCount = start }
  }
}
