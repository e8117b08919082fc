/// The code points on both sides of a position, which determine whether an assertion is met there.
struct PatternContext {
  /// The code point before the position; nil at the start of the text.
  let previous: UInt32?
  /// The code point after it; nil at the end of the text.
  let next: UInt32?

  private static let lineFeed: UInt32 = 0x0A
  private static let carriageReturn: UInt32 = 0x0D

  /// CR, LF and CRLF end a line; there is no line between the CR and the LF of a CRLF.
  func meets(_ assertion: PatternAssertion) -> Bool {
    switch assertion {
    case .lineStart:
      previous == nil || previous == Self.lineFeed
        || previous == Self.carriageReturn && next != Self.lineFeed
    case .lineEnd:
      next == nil || next == Self.carriageReturn
        || next == Self.lineFeed && previous != Self.carriageReturn
    case .wordBoundary: isWord(previous) != isWord(next)
    case .noWordBoundary: isWord(previous) == isWord(next)
    }
  }

  private func isWord(_ scalar: UInt32?) -> Bool { scalar.map(ScalarSet.word.contains) ?? false }
}
