import Patterns

/// What a device is expected to send: a text, bytes, or a regular expression.
public struct ExpectedPattern: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case literal(Literal)
    case regex(Pattern)
  }

  let content: Content
  /// The text or the expression as it was written; bytes that are not UTF-8 are repaired.
  public let text: String

  /// A text, which is compared byte by byte in UTF-8.
  ///
  /// - Precondition: The text is not empty.
  public static func text(_ text: String) -> ExpectedPattern { bytes(text.utf8) }

  /// Bytes.
  ///
  /// - Precondition: There is at least one.
  public static func bytes(_ bytes: some Sequence<UInt8>) -> ExpectedPattern {
    let literal = Literal(Array(bytes))
    return ExpectedPattern(
      content: .literal(literal), text: String(decoding: literal.bytes, as: UTF8.self))
  }

  /// A regular expression, which is matched in time proportional to what is received, whatever that is.
  ///
  /// It is a part of the dialect of Perl: `.`, classes, `\d \w \s`, `^ $ \b`, groups, `|`, repetitions and their
  /// lazy forms, `(?i)` and `(?s)` at the start; no back-references and no lookaround. At most 40 nested groups,
  /// 32 groups that capture, 500 repetitions, and about 1,000 characters.
  ///
  /// A match counts as soon as there is one: `temp=(\d+)` may match when the first digit has come, so add what
  /// follows. `^` is also met at the start and where the last match ended, and `$` at the end of what has come so
  /// far.
  ///
  /// - Throws: ``ParsingError`` if it is no expression, or matches the empty text.
  public static func regex(_ text: String) throws(ParsingError) -> ExpectedPattern {
    let pattern: Pattern
    do {
      pattern = try Pattern(parsing: text, capturing: true)
    } catch {
      throw ParsingError(description: "not a regular expression: \(error)")
    }
    guard !pattern.matchesEmptyText else {
      throw ParsingError(
        description: "'\(text)' matches the empty text, so it would be met at once; make it longer")
    }
    return ExpectedPattern(content: .regex(pattern), text: text)
  }

  /// The number of groups that capture.
  public var groupCount: Int {
    switch content {
    case .literal: 0
    case .regex(let pattern): pattern.groupCount
    }
  }

  /// Why a text is not an expression that can be expected.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, where, and what to do.
    public let description: String
  }
}

extension ExpectedPattern: CustomStringConvertible {
  /// The text in quotation marks, or the expression between slashes.
  public var description: String {
    switch content {
    case .literal: String(reflecting: text)
    case .regex: "/\(text)/"
    }
  }
}
