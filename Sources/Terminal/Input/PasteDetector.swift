import Time

/// Decides by the size of a read where escape sequences of the user count. A terminal does not mark
/// pasted text, except where a program edits lines.
struct PasteDetector {
  /// The part of a piece of input in which escape sequences count.
  enum Searched {
    /// The whole piece: a few bytes, which were typed.
    case whole
    /// The end of the piece: quickly typed keys may end with a sequence; a paste hardly ever does.
    case end
    /// No part of a long paste.
    case nothing
  }

  /// The part of the last read.
  private(set) var searched = Searched.whole
  /// The time until which even a few bytes belong to a paste.
  private var end: MonotonicTime?

  /// The maximum number of bytes that were certainly typed.
  private static let longestTyped = 4
  /// The minimum size of a read that belongs to a long paste.
  private static let piece = 1_024
  /// The maximum time between the pieces of a long paste.
  private static let pause = Duration.milliseconds(50)

  /// Notes a read of a number of bytes.
  mutating func note(_ count: Int, at now: MonotonicTime) {
    let isPaste = count >= Self.piece || end.map { now < $0 } ?? false
    searched = isPaste ? .nothing : count > Self.longestTyped ? .end : .whole
    end = isPaste ? now + Self.pause : nil
  }
}
