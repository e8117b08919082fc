/// A regular expression that is looked for in what a device sends.
///
/// The syntax is Swift's, which is what most tools understand: classes, groups, `(?i)`, lookahead.
/// It looks at Unicode scalars, so that `\r` is found in front of `\n`. `.` is anything within a
/// line, `^` stands behind the end of a line and `$` in front of one, and at the end of what has
/// come so far; `\r`, `\n` and `\r\n` end a line.
///
/// It may be looked for on any thread: a `Regex` that was read from a text holds no code of anybody's,
/// which is what keeps the type itself from being `Sendable`.
public struct Expression: @unchecked Sendable {
  /// As it was written.
  public let text: String
  private let regex: Regex<AnyRegexOutput>

  /// Reads an expression.
  ///
  /// - Throws: ``ParsingError``.
  public init(parsing text: String) throws(ParsingError) {
    self.text = text
    do {
      regex = try Regex(text).anchorsMatchLineEndings().matchingSemantics(.unicodeScalar)
    } catch {
      throw ParsingError(text: text, reason: "\(error)")
    }
    guard (try? regex.wholeMatch(in: "")) ?? nil == nil else {
      throw ParsingError(text: text, reason: "it fits nothing at all, and would be met at once")
    }
  }

  /// How many groups it has that capture.
  public var groupCount: Int {
    // Not said by the type: an expression that always fits is asked for its parts.
    let probe = try? Regex("(?:\(text))|").matchingSemantics(.unicodeScalar)
    return ((try? probe?.firstMatch(in: ""))??.output.count ?? 1) - 1
  }

  /// The places of the first match, in the text's UTF-8: the whole, then the groups, nil for those
  /// that took no part in it.
  func firstMatch(in text: String) -> [Range<Int>?]? {
    // Throws only for transformations, of which an expression read from a text has none.
    guard let match = try? regex.firstMatch(in: text) else { return nil }
    return match.output.map { part in
      part.range.map {
        text.utf8.distance(
          from: text.startIndex, to: $0.lowerBound)..<text.utf8.distance(
            from: text.startIndex, to: $0.upperBound)
      }
    }
  }

  /// Why a text is no expression.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    public let text: String
    /// What is wrong with it, in words.
    public let reason: String

    /// The text, and what is wrong with it.
    public var description: String { "'\(text)' is not a regular expression: \(reason)" }
  }
}
