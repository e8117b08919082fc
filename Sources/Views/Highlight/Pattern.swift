/// A regular expression that is looked for in a line, in time that is bounded by its size and the
/// line's: it follows all ways through the expression at once, and never goes back.
///
/// The algorithm is Thompson's, with the priorities that Pike gave it (https://swtch.com/~rsc/regexp):
/// a match is the one that Perl would find. What cannot be matched so is refused: back-references,
/// lookahead and lookbehind.
///
/// The syntax: `.`, classes as `[a-z_]` and `[^0-9]`, `\d \w \s` and their opposites in capitals, `^`
/// and `$` at the ends of the line, `\b` and `\B`, groups, `|`, `* + ? {m} {m,} {m,n}` and these with
/// `?` behind them to take as little as possible, `\t`, `\xHH`, and `(?i)` in front of it all for
/// ASCII letters large or small. Digits and letters of words are those of ASCII.
public struct Pattern: Hashable, Sendable {
  /// As it was written.
  public let text: String
  let program: PatternProgram

  /// Reads an expression.
  ///
  /// - Throws: ``PatternError``, with the place.
  public init(parsing text: String) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text)
    program = try PatternProgram(try parser.parse(), of: text)
  }

  /// The places of its matches in a line, from left to right; empty ones are no matches.
  ///
  /// - Parameters:
  ///   - line: code points.
  ///   - budget: how many steps may be made, of which a code point takes some for each way through
  ///     the expression that is open. What is used is taken off; where none is left, no more matches
  ///     are found.
  public func matches(in line: [UInt32], budget: inout Int) -> [Range<Int>] {
    if let first = program.first, !line.contains(where: first.contains) {
      budget -= line.count
      return []
    }
    var matcher = PatternMatcher(program, line)
    var found: [Range<Int>] = []
    var start = 0
    while start < line.count, budget > 0, let match = matcher.next(from: start, &budget) {
      if !match.isEmpty { found.append(match) }
      start = max(match.upperBound, start + 1)
    }
    return found
  }

  public static func == (one: Pattern, other: Pattern) -> Bool { one.text == other.text }

  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Why a text is no expression.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// Where in it something is wrong, in characters from 1; nil where it is all of it.
  public let place: Int?
  /// What is wrong, in words.
  public let reason: String

  /// What is wrong, and where.
  public var description: String {
    "'\(text)'\(place.map { ", character \($0)" } ?? ""): \(reason)"
  }
}
