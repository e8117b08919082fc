import Patterns

/// A regular expression that a device is expected to send; see `Pattern` for the dialect.
///
/// `^` is also met where the last match ended, and `$` at the end of what has arrived so far.
public struct Expression: Hashable, Sendable {
  /// The expression as it was written.
  public let text: String
  let pattern: Pattern

  /// Parses an expression.
  ///
  /// - Throws: ``ParsingError``.
  public init(parsing text: String) throws(ParsingError) {
    self.text = text
    do {
      pattern = try Pattern(parsing: text, capturing: true)
    } catch {
      throw ParsingError(description: "not a regular expression: \(error)")
    }
    guard !pattern.matchesEmptyText else {
      throw ParsingError(
        description: "'\(text)' matches the empty text, so it would be met at once; make it longer")
    }
  }

  /// The number of groups that capture.
  public var groupCount: Int { pattern.groupCount }

  /// Why a text is not an expression that can be expected.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public let description: String
  }
}
