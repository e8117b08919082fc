/// What a device has sent and no expectation has used up yet, as far back as a match may reach.
///
/// It is bounded, and so is the work: a match of up to ``longestMatch`` bytes is found wherever it
/// lies if ``look(for:)`` is called whenever ``isLookDue`` says so.
public struct ReceivedText {
  /// A match, and what it used up.
  public struct Match: Hashable, Sendable {
    /// Which of the expressions it was.
    public let index: Int
    /// What the whole and the groups stand for; nil for a group that took no part.
    public let captures: [[UInt8]?]
    /// How many bytes were received up to its end, of all that ever came.
    public let end: Int
  }

  /// How many bytes are kept.
  public static let capacity = longestMatch + step + longestLine
  /// How many bytes may come between one look and the next.
  public static let step = 16_384
  /// How long a match may be to be found wherever it lies.
  public static let longestMatch = 49_152
  /// How many bytes are forgotten at most for what is kept to begin with a line.
  private static let longestLine = 4_096

  private var bytes: [UInt8] = []
  /// How many bytes at the end nobody has looked at.
  private var unseenCount = 0
  /// How many bytes were received in all.
  public private(set) var receivedCount = 0

  /// Creates an empty text.
  public init() {}

  /// Whether to look before more is added.
  public var isLookDue: Bool { unseenCount >= Self.step }

  /// How many bytes may be added before it is due to look.
  public var roomBeforeLook: Int { max(0, Self.step - unseenCount) }

  /// Adds what was received, and forgets what is too old.
  public mutating func append(_ piece: UnsafeRawBufferPointer) {
    bytes += piece
    receivedCount += piece.count
    unseenCount = min(unseenCount + piece.count, Self.capacity)
    forgetOld()
  }

  /// Forgets everything.
  public mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    unseenCount = 0
  }

  /// Finds the first match in what is there, and uses it up.
  public mutating func look(for expressions: [Expression]) -> Match? {
    let match = takeWindow().firstMatch(of: expressions)
    if let match { useUp(through: match.end) }
    return match
  }

  /// What is there now, to be looked at: whoever takes it looks.
  public mutating func takeWindow() -> Window {
    unseenCount = 0
    return Window(bytes: bytes, end: receivedCount)
  }

  /// Forgets what was received up to the end of a match.
  ///
  /// - Parameter end: see ``Match/end``.
  public mutating func useUp(through end: Int) {
    bytes.removeFirst(max(0, bytes.count - (receivedCount - end)))
    unseenCount = min(unseenCount, bytes.count)
  }

  private mutating func forgetOld() {
    guard bytes.count > Self.capacity else { return }
    var count = bytes.count - Self.capacity
    // What is kept begins with a line, if there is one: ^ must not be met in the middle of it.
    let newline: UInt8 = 0x0A
    if let end = bytes[count...].prefix(Self.longestLine).firstIndex(of: newline) {
      count = end + 1
    }
    bytes.removeFirst(count)
  }
}

extension ReceivedText {
  /// What had been received when a look began; it may be looked at anywhere.
  public struct Window: Sendable {
    fileprivate let bytes: [UInt8]
    /// How many bytes had been received in all.
    public let end: Int

    /// Finds the match that begins first; of those that begin at one place, the one whose expression
    /// was named first.
    public func firstMatch(of expressions: [Expression]) -> Match? {
      let text = String(received: bytes)
      var best: (index: Int, whole: Range<Int>, parts: [Range<Int>?])?
      for (index, expression) in expressions.enumerated() {
        guard let parts = expression.firstMatch(in: text), let whole = parts[0] else { continue }
        if best.map({ whole.lowerBound < $0.whole.lowerBound }) ?? true {
          best = (index, whole, parts)
        }
      }
      guard let best else { return nil }
      return Match(
        index: best.index, captures: best.parts.map { $0.map { Array(bytes[$0]) } },
        end: end - bytes.count + best.whole.upperBound)
    }
  }
}
