public import Framing
public import Patterns

/// A frame is everything up to one of several texts or regular expressions, such as a prompt.
///
/// ```swift
/// let prompt = try ExpectedPattern.regex(#"(\w+)@[\w-]+:\S+[$#] "#)
/// let match = try await port.request("uptime\n", until: .expecting(prompt), timeout: .seconds(5))
/// print(String(decoding: match.before, as: UTF8.self))
/// ```
public struct ExpectationFraming: Framing {
  /// The patterns. If several match at the same byte, the first one counts.
  public let patterns: [ExpectedPattern]
  /// The most bytes up to the end of a match. More are damage, and removed. Beyond
  /// `ReceivedText.capacity`, a match has only the end of the text before it.
  public let limit: Int
  private var text: ReceivedText

  /// Creates a framing.
  ///
  /// - Parameters:
  ///   - patterns: the patterns, at least one.
  ///   - limit: the most bytes up to the end of a match, at least 1.
  public init(_ patterns: [ExpectedPattern], limit: Int = ReceivedText.capacity) {
    precondition(!patterns.isEmpty && limit > 0, "nothing is expected")
    self.patterns = patterns
    self.limit = limit
    text = ReceivedText(expecting: patterns)
  }

  /// Searches for a match.
  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<ReceivedText.Match> {
    bytes.extracting(droppingFirst: searched).withUnsafeBytes { text.append($0) }
    let match = text.look()
    if match == nil && bytes.byteCount <= limit && !isEnd { return .incomplete }
    text = ReceivedText(expecting: patterns)
    if let match { return .frame(match, length: match.end) }
    guard bytes.byteCount > 0 else { return .incomplete }
    return .damaged(
      isEnd ? .unfinished : .tooLong(limit: limit), length: bytes.byteCount)
  }
}

extension Framing where Self == ExpectationFraming {
  /// Everything up to one of several patterns; see ``ExpectationFraming``.
  public static func expecting(
    _ patterns: ExpectedPattern..., limit: Int = ReceivedText.capacity
  ) -> ExpectationFraming {
    ExpectationFraming(patterns, limit: limit)
  }
}
