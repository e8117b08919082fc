/// A command line up to the cursor, split like in bash, zsh and fish: blanks separate words, quotes
/// and backslashes keep them together. Nothing is expanded.
public struct TypedLine: Hashable, Sendable {
  /// The words without quotes, including the program's name. The last one is incomplete, and
  /// may be empty.
  public private(set) var words: [String] = []
  /// The quotation mark that is open in the last word.
  public private(set) var quote: Character?
  /// The number of characters at the beginning of the last word that a shell keeps when it
  /// replaces the word: those up to the last character that separates words for it, and those
  /// before an open quotation mark.
  public private(set) var kept = 0
  /// The value of ``kept`` after the open quotation mark is closed.
  private var keptBeforeQuote = 0
  /// The typed text from the beginning of each word to the cursor.
  private var tails: [Substring] = []

  /// Splits a line.
  ///
  /// - Parameter breaks: the characters besides blanks that separate words when the shell completes
  ///   them: bash's `$COMP_WORDBREAKS`.
  public init(_ line: String, breaks: String = "") {
    var rest = line[...]
    begin(at: rest)
    var isInside = false
    while let character = rest.popFirst() {
      if quote == nil, character.isWhitespace {
        if isInside { begin(at: rest) }
        isInside = false
        tails[tails.count - 1] = rest
        continue
      }
      isInside = true
      switch character {
      case "\\" where quote != "'":
        guard let next = rest.popFirst() else { break }
        // Between quotation marks, a backslash stands for itself unless it quotes a character.
        if quote != nil, !"\"\\$`".contains(next) { add("\\") }
        add(next)
      case "'" where quote == nil, "\"" where quote == nil:
        quote = character
        kept = last.count
      case quote:
        quote = nil
        kept = keptBeforeQuote
      default:
        add(character)
        if quote == nil, breaks.contains(character) {
          kept = last.count
          keptBeforeQuote = kept
        }
      }
    }
    // A shell can complete a command after variables: NAME=VALUE serialterm.
    while words.count > 1, let name = words[0].split(separator: "=").first,
      name.count < words[0].count,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    {
      words.removeFirst()
      tails.removeFirst()
    }
  }

  /// The typed text from a word to the cursor, including quotes.
  public func text(from word: Int) -> String { String(tails[word]) }

  private var last: String { words[words.count - 1] }

  private mutating func begin(at rest: Substring) {
    words.append("")
    tails.append(rest)
    (kept, keptBeforeQuote) = (0, 0)
  }

  private mutating func add(_ character: Character) { words[words.count - 1].append(character) }
}
