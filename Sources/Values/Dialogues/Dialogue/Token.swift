import Patterns

/// A token of a script.
enum Token {
  case word(String)
  case text(Text)
  case expression(ExpectedPattern)
  case opening, closing

  /// The token in the form for error messages.
  var shown: String {
    switch self {
    case .word(let word): "'\(word)'"
    case .text: "a text"
    case .expression(let expression): "/\(expression.text)/"
    case .opening: "'{'"
    case .closing: "'}'"
    }
  }
}

/// Splits a line of a script into tokens.
struct LineLexer {
  private var rest: Substring.UnicodeScalarView
  private let line: Int

  /// The tokens of a line, without its comment.
  static func tokens(of text: Substring, line: Int) throws(DialogueError) -> [Token] {
    var lexer = LineLexer(rest: text.unicodeScalars, line: line)
    var tokens: [Token] = []
    while let token = try lexer.next() { tokens.append(token) }
    return tokens
  }

  private func error(_ what: String) -> DialogueError { DialogueError(line: line, what: what) }

  private mutating func next() throws(DialogueError) -> Token? {
    while rest.first == " " || rest.first == "\t" || rest.first == "\r" { rest.removeFirst() }
    guard let first = rest.first, first != "#" else { return nil }
    switch first {
    case "\"":
      rest.removeFirst()
      return .text(try text())
    case "/":
      rest.removeFirst()
      return .expression(try expression())
    case "{", "}":
      rest.removeFirst()
      return first == "{" ? .opening : .closing
    default:
      let word = rest.prefix { !" \t\r\"/{}#".unicodeScalars.contains($0) }
      rest.removeFirst(word.count)
      return .word(String(String.UnicodeScalarView(word)))
    }
  }

  private mutating func expression() throws(DialogueError) -> ExpectedPattern {
    var pattern = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      switch scalar {
      case "/":
        do {
          return try ExpectedPattern.regex(String(pattern))
        } catch {
          throw self.error(error.description)
        }
      case "\\":
        guard let escaped = rest.popFirst() else { break }
        // In an expression, a slash is only escaped because slashes delimit it.
        if escaped != "/" { pattern.append(scalar) }
        pattern.append(escaped)
      default: pattern.append(scalar)
      }
    }
    throw error("the expression has no end: expected '/'")
  }

  // MARK: Texts

  private mutating func text() throws(DialogueError) -> Text {
    var parts: [Text.Part] = []
    var bytes: [UInt8] = []
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"":
        if !bytes.isEmpty { parts.append(.bytes(bytes)) }
        return Text(parts: parts)
      case "\\": bytes += try escape()
      case "$":
        if let digit = rest.first, let group = Self.digits.firstIndex(of: digit) {
          rest.removeFirst()
          if !bytes.isEmpty { parts.append(.bytes(bytes)) }
          bytes = []
          parts.append(.capture(group))
        } else {
          bytes.append(UInt8(ascii: "$"))
        }
      default: bytes += Array(String(scalar).utf8)
      }
    }
    throw error("the text has no end: expected '\"'")
  }

  private static let digits = Array("0123456789".unicodeScalars)

  private mutating func escape() throws(DialogueError) -> [UInt8] {
    do {
      return [try EscapedText.byte(afterBackslash: &rest)]
    } catch {
      throw self.error("\(error)")
    }
  }
}
