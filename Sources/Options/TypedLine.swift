/// A command line up to the cursor, as bash, zsh and fish read it: blanks separate words, quotes and
/// backslashes keep them together. Nothing is expanded.
public struct TypedLine: Hashable, Sendable {
  /// The words without quotes, from the program's name. The last one is not complete, and may be empty.
  public private(set) var words: [String] = []
  /// The quotation mark that is open in the last word.
  public private(set) var quote: Character?
  /// The number of characters in the last word that a shell keeps when it replaces the word: those before
  /// the last character that separates words for it, and those before an open quotation mark.
  public private(set) var kept = 0
  /// What ``kept`` is again when the open quotation mark is closed.
  private var keptBeforeQuote = 0
  /// What was typed from the beginning of each word.
  private var tails: [Substring] = []

  /// Reads a line.
  ///
  /// - Parameter breaks: the characters besides blanks that separate words when the shell completes:
  ///   `$COMP_WORDBREAKS` of bash.
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
        // Between quotation marks, a backslash is one unless it quotes something.
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
    // A shell can complete a command behind variables: NAME=VALUE serialterm.
    while words.count > 1, let name = words[0].split(separator: "=").first,
      name.count < words[0].count,
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    {
      words.removeFirst()
      tails.removeFirst()
    }
  }

  /// What was typed from a word to the cursor, with its quotes.
  public func text(from word: Int) -> String { String(tails[word]) }

  private var last: String { words[words.count - 1] }

  private mutating func begin(at rest: Substring) {
    words.append("")
    tails.append(rest)
    (kept, keptBeforeQuote) = (0, 0)
  }

  private mutating func add(_ character: Character) { words[words.count - 1].append(character) }
}
