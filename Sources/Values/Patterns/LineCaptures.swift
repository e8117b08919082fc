/// Finds the first match of a pattern in lines, with its groups.
///
/// Lines without a match cost one table lookup for each byte (``LineMatcher``). Buffers are used
/// again from line to line.
public struct LineCaptures {
  private let pattern: Pattern
  private var filter: LineMatcher
  private var matcher: PatternMatcher

  /// Creates a search for a pattern. The groups are those of a pattern that was
  /// parsed with `capturing`.
  public init(_ pattern: Pattern) {
    self.pattern = pattern
    filter = LineMatcher(pattern)
    matcher = PatternMatcher(pattern.program, groupCount: pattern.groupCount)
  }

  /// The first match in a line, in byte offsets: the whole match, then the groups; nil for a group
  /// that did not participate.
  ///
  /// - Parameters:
  ///   - line: the line in UTF-8, without its line end.
  ///   - budget: the maximum number of steps: a few for each code point and each open alternative.
  /// - Returns: nil if there is no match, or if the budget was used up before one was found.
  public mutating func captures(
    in line: UnsafeRawBufferPointer, budget: Int
  ) -> [Range<Int>?]? {
    guard filter.matches(line) else { return nil }
    matcher.reset()
    let limit = matcher.work + budget
    var previous: UInt32?
    var index = 0
    while true {
      var (next, length) = (nil as UInt32?, 1)
      if index < line.count {
        let byte = line[index]
        if byte < 0x80 {
          next = UInt32(byte)
        } else {
          (next, length) = LineMatcher.scalar(in: line, at: index)
        }
      }
      if !matcher.isIdle || matcher.canBegin(with: next) {
        matcher.step(at: index, after: previous, before: next)
        guard matcher.work <= limit else { return nil }
        if matcher.isDecided { break }
      }
      guard index < line.count else { break }
      previous = next
      index += length
    }
    return matcher.found
  }
}
