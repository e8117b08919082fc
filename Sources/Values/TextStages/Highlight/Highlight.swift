public import Patterns

/// Text to highlight on the screen, and its colour.
public struct Highlight: Hashable, Sendable {
  /// The expression to search for in each line.
  public let pattern: Pattern
  /// The colour of a match.
  public let colour: HighlightColour

  /// Creates a highlight.
  public init(_ pattern: Pattern, _ colour: HighlightColour) {
    self.pattern = pattern
    self.colour = colour
  }

  /// Parses `REGEX=COLOUR`, separated at the last `=`, or the name of a preset: `levels`.
  ///
  /// - Returns: one highlight; several for a preset.
  /// - Throws: ``HighlightError``.
  public static func parsing(_ text: String) throws(HighlightError) -> [Highlight] {
    if text == presetName { return levels }
    guard let separator = text.lastIndex(of: "=") else {
      throw HighlightError(text: text, reason: "expected REGEX=COLOUR, or \(presetName)")
    }
    let (regex, name) = (String(text[..<separator]), String(text[separator...].dropFirst()))
    guard let colour = HighlightColour(parsing: name) else {
      throw HighlightError(
        text: text, reason: "'\(name)' is not a colour; expected \(HighlightColour.expected)")
    }
    if regex.isEmpty {
      throw HighlightError(text: text, reason: "the regular expression before the '=' is missing")
    }
    do {
      return [Highlight(try Pattern(parsing: regex), colour)]
    } catch {
      throw HighlightError(text: text, reason: "\(error)")
    }
  }
}

/// The colour of highlighted text.
public struct HighlightColour: Hashable, Sendable {
  /// The parameters of SGR (ECMA-48), between `CSI` and `m`.
  let parameters: String

  /// The names of the colours without `bright-` and `bold-`.
  public static let names = [
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
  ]

  /// Parses one of eight names, optionally after `bright-` or `bold-`, or `bold` alone.
  public init?(parsing text: String) {
    func number(_ name: some StringProtocol) -> Int? { Self.names.firstIndex { $0 == name } }
    if text == "bold" {
      parameters = "1"
    } else if let number = number(text) {
      parameters = "\(30 + number)"
    } else if text.hasPrefix("bright-"), let number = number(text.dropFirst(7)) {
      parameters = "\(90 + number)"
    } else if text.hasPrefix("bold-"), let number = number(text.dropFirst(5)) {
      parameters = "1;\(30 + number)"
    } else {
      return nil
    }
  }

  static let expected =
    names.joined(separator: ", ") + ", one of these after bright- or bold-, or bold"
}

/// The reason why a text is not a highlight.
public struct HighlightError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  public let text: String
  /// The mistake, as a phrase.
  public let reason: String

  /// The text and the mistake.
  public var description: String { "'\(text)': \(reason)" }
}

extension Highlight {
  /// The name of the preset ``levels``.
  public static let presetName = "levels"

  /// Colours for the levels of log messages in firmware; see ``LogLevel``.
  ///
  /// The whole line is coloured if it begins with the level: `E (123) tag:` (ESP-IDF), `<3>`
  /// (kernel, syslog). For Zephyr's `<err>`, the rest of the line from the level on. Elsewhere only
  /// the word, in capitals.
  public static let levels: [Highlight] = [
    level(.debug, "cyan"), level(.info, "green"), level(.warning, "yellow"), level(.error, "red"),
  ]

  private static func level(_ level: LogLevel, _ name: String) -> Highlight {
    guard let pattern = try? Pattern(parsing: level.regex),
      let colour = HighlightColour(parsing: name)
    else { preconditionFailure(level.regex) }
    return Highlight(pattern, colour)
  }
}
