/// A text, bytes or a regular expression that a device is expected to send.
public struct ExpectedPattern: Hashable, Sendable {
  enum Content: Hashable, Sendable {
    case literal(Literal)
    case regex(Pattern)
  }

  let content: Content
  /// The text or the expression as it was written. Invalid UTF-8 is replaced by U+FFFD.
  public let text: String

  /// A text. Its bytes in UTF-8 are expected.
  ///
  /// - Precondition: The text is not empty.
  public static func text(_ text: String) -> ExpectedPattern { bytes(text.utf8) }

  /// Bytes.
  ///
  /// - Precondition: There is at least one byte.
  public static func bytes(_ bytes: some Sequence<UInt8>) -> ExpectedPattern {
    let literal = Literal(Array(bytes))
    return ExpectedPattern(
      content: .literal(literal), text: String(decoding: literal.bytes, as: UTF8.self))
  }

  /// A regular expression. It is matched in linear time.
  ///
  /// The syntax is a subset of Perl's: `.`, classes, `\d \w \s`, `^ $ \b`, groups, `|`,
  /// repetitions and their lazy forms, `(?i)` and `(?s)` at the start. There are no
  /// back-references and no lookaround. The limits are 40 nested groups, 32 capturing groups, 500
  /// repetitions and about 1,000 characters.
  ///
  /// A match counts immediately: `temp=(\d+)` can match after the first digit, so add the character
  /// that follows. `^` also matches at the start and at the end of the last match, and `$` at the
  /// end of the text so far.
  ///
  /// - Throws: ``ParsingError`` if the text is not an expression, or if the expression matches
  ///   the empty text.
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

  /// Any line with its end; the line is group 1.
  ///
  /// - Parameter name: the expression as messages name it.
  package static func anyLine(named name: String) -> ExpectedPattern {
    guard let pattern = try? Pattern(parsing: #"([^\n]+)\n"#, capturing: true) else {
      preconditionFailure("the expression of a line is valid")
    }
    return ExpectedPattern(content: .regex(pattern), text: name)
  }

  /// The expression with the rest of the line in which it matches, so that the next match begins in
  /// another line. It stays the same if it is too long for that.
  package var toEndOfLine: ExpectedPattern {
    guard case .regex = content, self != .anyLine(named: text) else { return self }
    let flags = text.starts(with: "(?") ? text.prefix { $0 != ")" } + ")" : ""
    let isFlags = flags.dropFirst(2).dropLast().allSatisfy { $0 == "i" || $0 == "s" }
    let (start, rest) = isFlags ? (flags, text.dropFirst(flags.count)) : ("", text[...])
    guard let pattern = try? Pattern(parsing: #"\#(start)(?:\#(rest))[^\n]*\n"#, capturing: true)
    else { return self }
    return ExpectedPattern(content: .regex(pattern), text: text)
  }

  /// The number of capturing groups.
  public var groupCount: Int {
    switch content {
    case .literal: 0
    case .regex(let pattern): pattern.groupCount
    }
  }

  /// The reason why a text is not a usable expression.
  public struct ParsingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The mistake, its position, and advice.
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
