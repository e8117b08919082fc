import TerminalWidgets
import TextTools

extension String {
  /// A message as lines that fit on a terminal, broken at spaces, and indented from the
  /// second line on.
  ///
  /// A quoted command and a key after its prefix are not broken. A line that is indented by four
  /// spaces is meant to be copied, and stays one line.
  ///
  /// - Parameter width: the number of columns; nil for a file or a pipe, which gets
  ///   the message unchanged.
  package func messageLines(width: Int?) -> [String] {
    guard let width, displayWidth > width, !hasPrefix("    ") else { return [self] }
    let indentation = prefix { $0 == " " }.count + 2
    return StyledLine(withJoinedWords).wrapped(toWidth: width, indentation: indentation).map {
      $0.text.replacing(text: Self.joint, with: " ")
    }
  }

  /// The replacement of a space at which a line must not be broken.
  private static var joint: String { "\u{A0}" }

  /// The text with joints inside of words that belong together: `'kill -USR1 4711'`, `ctrl-t r`.
  private var withJoinedWords: String {
    var result = ""
    var isInQuotes = false
    var previous = Substring()
    for (number, word) in split(separator: " ", omittingEmptySubsequences: false).enumerated() {
      let isAfterPrefix = previous.hasPrefix("ctrl-") && previous.last?.isPunctuation == false
      if number > 0 { result += isInQuotes || isAfterPrefix ? Self.joint : " " }
      result += word
      // An apostrophe inside a word is not a quotation mark.
      if word.hasPrefix("'") { isInQuotes = true }
      if word.dropFirst().contains("'") { isInQuotes = false }
      previous = word
    }
    // A single quotation mark joins nothing.
    return isInQuotes ? self : result
  }
}
