/// Searches received bytes for patterns and passes the bytes on in order, for a program that
/// also shows them.
///
/// After every other call, call ``next()`` until it returns nil.
public struct SearchedStream: Sendable {
  /// An event in the stream.
  public enum Event: Hashable, Sendable {
    /// Bytes that were searched: up to the end of a match, or all of them if there is no match.
    case passed([UInt8])
    /// A pattern has matched. The text up to the end of the match was passed on.
    case matched(ReceivedText.Match)
  }

  /// The patterns to search for; empty for none. Text that was received before is searched too,
  /// unless ``clear()`` was called.
  public var patterns: [ExpectedPattern] {
    get { text.patterns }
    set {
      text.patterns = newValue
      isLookDue = true
    }
  }

  private var text = ReceivedText()
  /// Bytes that were not passed on.
  private var held: ArraySlice<UInt8> = []
  private var match: ReceivedText.Match?
  /// Whether bytes were added since they were last searched.
  private var hasFresh = false
  private var isLookDue = false
  private var isFlushing = false

  /// Creates an empty stream.
  public init() {}

  /// Appends received bytes.
  public mutating func add(_ bytes: some Collection<UInt8>) {
    text.append(bytes)
    held += bytes
    hasFresh = true
  }

  /// Discards the received bytes; they are not passed on.
  public mutating func clear() {
    text.clear()
    held = []
    hasFresh = false
  }

  /// Passes on all received bytes, also those after a match.
  public mutating func flush() { isFlushing = true }

  /// The next event; nil if there is none.
  public mutating func next() -> Event? {
    if let match {
      self.match = nil
      // The rest is searched for the patterns that the caller sets now.
      isLookDue = true
      return .matched(match)
    }
    if isLookDue {
      isLookDue = false
      if !patterns.isEmpty, let event = look() { return event }
    }
    if hasFresh {
      hasFresh = false
      if let event = patterns.isEmpty ? pass(held.count) : look() { return event }
    }
    guard isFlushing else { return nil }
    isFlushing = false
    return pass(held.count)
  }

  private mutating func look() -> Event? {
    hasFresh = false
    guard let match = text.look() else { return pass(held.count) }
    self.match = match
    return pass(held.count - (text.receivedCount - match.end)) ?? next()
  }

  private mutating func pass(_ count: Int) -> Event? {
    guard count > 0 else { return nil }
    defer { held.removeFirst(count) }
    return .passed(Array(held.prefix(count)))
  }
}
