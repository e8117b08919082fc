/// A regular expression, matched against single lines in time that is bounded by the sizes of the
/// expression and the line: all alternatives are followed at once, without backtracking.
///
/// The algorithm is Thompson's with Pike's priorities (https://swtch.com/~rsc/regexp): it finds the
/// match that Perl finds. Back-references, lookahead and lookbehind cannot be matched in this way and
/// are errors.
///
/// Syntax: `.`, classes such as `[a-z_]` and `[^0-9]`, `\d \w \s` and their complements `\D \W \S`, `^`
/// and `$` for the start and end of the line, `\b` and `\B`, groups, `|`, `* + ? {m} {m,} {m,n}` and
/// their lazy forms with `?` after them, `\t`, `\xHH`, and `(?i)` at the very start to ignore the case
/// of ASCII letters. Digits and word characters are ASCII.
public struct Pattern: Hashable, Sendable {
  /// The expression as it was written.
  public let text: String
  let program: PatternProgram

  /// Reads an expression.
  ///
  /// - Throws: ``PatternError`` with the position.
  public init(parsing text: String) throws(PatternError) {
    self.text = text
    var parser = PatternParser(text)
    program = try PatternProgram(try parser.parse(), of: text)
  }

  /// Finds the matches in a line, from left to right, without empty ones.
  ///
  /// - Parameters:
  ///   - line: code points.
  ///   - budget: how many steps may be taken: a few for each code point and each alternative that is
  ///     still open. Reduced by the steps taken; once it is used up, no more matches are found.
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

/// Why a text is not a valid expression.
public struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// The position of the error, in characters from 1; nil if it concerns the whole text.
  public let place: Int?
  /// What is wrong, as a phrase.
  public let reason: String

  /// What is wrong and where.
  public var description: String {
    "'\(text)'\(place.map { ", character \($0)" } ?? ""): \(reason)"
  }
}
