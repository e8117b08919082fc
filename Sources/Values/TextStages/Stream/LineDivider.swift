/// Divides received bytes into lines, for those who keep the bytes as they are. Its lines end where
/// those of a ``LineReader`` end. It sees no sequences: before the first LF, a line of nothing but
/// sequences and a CR is a line, and so is what follows a CR.
public struct LineDivider {
  /// How the open line ends so far.
  public enum Ending: Sendable {
    case open
    /// It ends with CR. Further CR and an LF belong to the same line end.
    case returned
    /// It ends with LF. Further CR belong to the same line end.
    case fed
  }

  /// How the open line ends so far.
  public private(set) var ending = Ending.open
  /// Whether the device has sent an LF. Until then a CR ends a line.
  private var isFed = false
  /// Whether the open line has nothing but CR.
  private var isEmpty = true

  /// Creates a divider for the beginning of a stream.
  public init() {}

  /// Begins a line.
  public mutating func begin() { (ending, isEmpty) = (.open, true) }

  /// Finds the end of what belongs to the open line.
  ///
  /// - Parameters:
  ///   - bytes: the received bytes.
  ///   - start: the index of the next byte. There is one.
  ///   - limit: the end of the bytes for which the line has room. An LF always has room after CR.
  /// - Returns: the end; `start` if the next byte belongs to the next line.
  public mutating func end(
    in bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int
  ) -> Int {
    if ending == .open { return endOfText(in: bytes, from: start, to: limit) }
    if bytes[start] == .lineFeed, ending == .returned {
      (isFed, ending) = (true, .fed)
      return start + 1
    }
    return bytes[start] == .carriageReturn && start < limit ? start + 1 : start
  }

  private mutating func endOfText(
    in bytes: UnsafeRawBufferPointer, from start: Int, to limit: Int
  ) -> Int {
    let feed = PlainText.index(of: .lineFeed, in: bytes, from: start, to: limit)
    if !isFed {
      // A CR in an empty line does nothing.
      var text = start
      if isEmpty { while text < feed ?? limit, bytes[text] == .carriageReturn { text += 1 } }
      isEmpty = text == feed ?? limit
      if let mark = PlainText.index(of: .carriageReturn, in: bytes, from: text, to: feed ?? limit) {
        ending = .returned
        return mark + 1
      }
    }
    guard let feed else { return limit }
    (isFed, ending) = (true, .fed)
    return feed + 1
  }
}
