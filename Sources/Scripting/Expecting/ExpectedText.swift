/// Searches what a device sends for expressions as it arrives, and passes the bytes on in order: a value.
///
/// Call ``next()`` until it returns nil, after every other call.
public struct ExpectedText {
  /// What came of the received bytes.
  public enum Event: Hashable, Sendable {
    /// Bytes that were searched: up to the end of a match, or all of them while there is no match.
    case passed([UInt8])
    /// One of the expressions has matched. The text up to its end is used up.
    case matched(ReceivedText.Match)
  }

  /// The expressions to search for; empty for none. Text that was received before counts, unless
  /// ``clear()`` is called.
  public var expressions: [Expression] {
    get { text.expressions }
    set {
      text.expressions = newValue
      isLookDue = true
    }
  }

  private var text = ReceivedText()
  /// Bytes that were not searched yet.
  private var fresh: [UInt8] = []
  /// Bytes that were searched and not passed on: those behind a match.
  private var held: [UInt8] = []
  private var match: ReceivedText.Match?
  private var isLookDue = false
  private var isFlushing = false

  /// Creates an empty text.
  public init() {}

  /// Adds received bytes.
  public mutating func add(_ bytes: some Sequence<UInt8>) { fresh += bytes }

  /// Forgets what was received; it is not passed on.
  public mutating func clear() {
    text.clear()
    (fresh, held) = ([], [])
  }

  /// Passes on everything that was received, also bytes behind a match.
  public mutating func flush() { isFlushing = true }

  /// The next event; nil if there is none.
  public mutating func next() -> Event? {
    if let match {
      self.match = nil
      // The expressions that are set by then are searched for in the rest.
      isLookDue = true
      return .matched(match)
    }
    if isLookDue {
      isLookDue = false
      if !expressions.isEmpty, let event = look() { return event }
    }
    while !fresh.isEmpty {
      let piece = Array(fresh.prefix(ReceivedText.step))
      fresh.removeFirst(piece.count)
      piece.withUnsafeBytes { text.append($0) }
      held += piece
      if let event = expressions.isEmpty ? pass() : look() { return event }
    }
    guard isFlushing else { return nil }
    isFlushing = false
    return pass()
  }

  private mutating func look() -> Event? {
    guard let match = text.look() else { return pass() }
    self.match = match
    return pass(held.count - (text.receivedCount - match.end)) ?? next()
  }

  private mutating func pass() -> Event? { pass(held.count) }

  private mutating func pass(_ count: Int) -> Event? {
    guard count > 0 else { return nil }
    defer { held.removeFirst(count) }
    return .passed(Array(held.prefix(count)))
  }
}
