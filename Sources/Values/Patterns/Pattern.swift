/// A regular expression that is matched in linear time, by following all alternatives at once
/// instead of backtracking.
///
/// This is the only dialect of the program, for text that a device must send (`--expect`,
/// `--prompt`, `--wait-for`, scripts, JSON) and for `--highlight`.
///
/// The algorithm is Thompson's with Pike's priorities (https://swtch.com/~rsc/regexp). It finds the
/// same match as Perl: the match that begins first; among these, the one that the expression
/// prefers: the first branch of `|`, the longest repetition, or the shortest one before `?`.
/// Back-references, lookahead and lookbehind cannot be matched in this way and are errors.
///
/// Syntax: `.`, classes such as `[a-z_]` and `[^0-9]`, `\d \w \s` and their complements `\D \W \S`,
/// `^` and `$` for the start and end of a line, `\b` and `\B`, groups, named groups `(?<name>…)`
/// and `(?P<name>…)`, non-capturing groups `(?:…)`, `|`, `* + ? {m} {m,} {m,n}` and their lazy
/// forms with `?` after them, `\r \n \t \f \e \0`, `\xHH`. At the very start, `(?i)` ignores the
/// case of ASCII letters and `(?s)` makes `.` match CR and LF; `(?is)` does both. Digits and word
/// characters are ASCII.
///
/// Limits: 40 nested groups, 32 capturing groups, 500 repetitions, 1,000 states of the automaton.
public struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  public let text: String
  /// The names of the capturing groups; nil for a group without a name. Empty without capturing.
  public let groupNames: [String?]
  let program: PatternProgram

  /// The number of capturing groups.
  public var groupCount: Int { groupNames.count }

  /// Parses an expression.
  ///
  /// - Parameters:
  ///   - text: the expression.
  ///   - capturing: whether matches include the groups. Without them, matching is faster.
  /// - Throws: ``PatternError`` with the position.
  public init(parsing text: String, capturing: Bool = false) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text)
    let node = try parser.parse()
    program = try PatternProgram(node, captures: capturing, of: text)
    groupNames = capturing ? parser.groupNames : []
  }

  /// Whether the expression matches the empty text.
  public var matchesEmptyText: Bool {
    var matcher = PatternMatcher(program, groupCount: groupCount)
    matcher.step(at: 0, after: nil, before: nil)
    return matcher.found != nil
  }

  /// Finds the non-empty matches in a line, from left to right.
  ///
  /// - Parameters:
  ///   - line: the code points of the line.
  ///   - budget: the maximum number of steps: a few for each code point and each open alternative.
  ///     It is reduced by the number of steps. When it is used up, no more matches are found.
  public func matches(in line: [UInt32], budget: inout Int) -> [Range<Int>] {
    if let first = program.first, !line.contains(where: first.contains) {
      budget -= line.count
      return []
    }
    var matcher = PatternMatcher(program, groupCount: groupCount)
    var found: [Range<Int>] = []
    var start = 0
    while start < line.count, let match = match(in: line, from: start, by: &matcher, &budget) {
      if !match.isEmpty { found.append(match) }
      start = max(match.upperBound, start + 1)
    }
    return found
  }

  /// - Returns: nil if there is no match, or if the budget was used up before one was found.
  private func match(
    in line: [UInt32], from start: Int, by matcher: inout PatternMatcher, _ budget: inout Int
  ) -> Range<Int>? {
    matcher.reset()
    for place in start...line.count {
      let next = place < line.count ? line[place] : nil
      budget -= 1 + matcher.openCount
      guard budget > 0 else { return nil }
      if matcher.isIdle && !matcher.canBegin(with: next) { continue }
      let work = matcher.work
      matcher.step(at: place, after: place > 0 ? line[place - 1] : nil, before: next)
      budget -= matcher.work - work
      if matcher.isDecided { break }
    }
    return matcher.found?[0]
  }

  public static func == (one: Pattern, other: Pattern) -> Bool {
    one.text == other.text && one.groupCount == other.groupCount
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Why a text is not a valid expression.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// The position of the error in characters, counted from 1; nil if it concerns the whole text.
  public let place: Int?
  /// The mistake and its fix, as a phrase.
  public let reason: String

  private static let maximalLength = 60

  /// The mistake and its position. A long text is shortened.
  public var description: String {
    let shown = text.unicodeScalars.prefix(Self.maximalLength)
    let rest = shown.endIndex < text.unicodeScalars.endIndex ? "…" : ""
    return "'\(String(shown))\(rest)'\(place.map { ", character \($0)" } ?? ""): \(reason)"
  }
}
