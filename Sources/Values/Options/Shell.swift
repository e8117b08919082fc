/// A shell that completes words by asking the program.
public enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The size of the terminal, for descriptions in a list if the shell does not format it itself.
  public struct ListSize: Hashable, Sendable {
    public let rows: Int
    public let columns: Int

    /// Creates a size.
    public init(rows: Int, columns: Int) {
      self.rows = rows
      self.columns = columns
    }
  }

  /// The answer in the form for the shell's script. The first line is the kind of completion; the
  /// other lines depend on it:
  ///
  /// - `words`: one word per line. For bash, each is the replacement for the typed part, with
  ///   quotes; if there is only one, and it may continue, the first line is `beginning`. For zsh,
  ///   each is preceded by `=` if it may continue, otherwise by `+`, and followed by a colon and
  ///   its description. For fish, a tab and the description follow.
  /// - `files N`: the paths of files. N characters of the word precede the path.
  /// - `command N`: a command line after N words. For fish, the next line contains it.
  ///
  /// - Parameters:
  ///   - line: the typed line.
  ///   - size: the size of the terminal if bash now shows a list; nil for a
  ///     list without descriptions.
  public func reply(_ answer: Completer.Answer, to line: TypedLine, listIn size: ListSize? = nil)
    -> String
  {
    let lines: [String]
    switch answer {
    case .files(let count): lines = ["files \(count)"]
    case .command(let index):
      // The completer counts the words after the program's name.
      lines = ["command \(index + 1)"] + (self == .fish ? [line.text(from: index + 1)] : [])
    case .words(let candidates):
      // A control character could not be typed, and would break the lines of the answer.
      let candidates = candidates.filter { !$0.word.contains(where: \.isControl) }.map(\.inOneLine)
      switch self {
      case .bash: lines = Self.bashLines(candidates, line, size)
      case .zsh: lines = ["words"] + candidates.map(\.forZsh)
      case .fish: lines = ["words"] + candidates.map(\.forFish)
      }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func bashLines(
    _ candidates: [Completion.Candidate], _ line: TypedLine, _ size: ListSize?
  ) -> [String] {
    let words = candidates.map { quoted(String($0.word.dropFirst(line.kept)), in: line.quote) }
    let header = candidates.count == 1 && candidates[0].isBeginning ? "beginning" : "words"
    // A list that is longer than the screen is easier to read in columns.
    guard let size, 2...max(2, size.rows - 2) ~= candidates.count else { return [header] + words }
    let width = words.map(\.count).max() ?? 0
    return [header]
      + zip(words, candidates).map { word, candidate in
        guard !candidate.description.isEmpty else { return word }
        let margin = String(repeating: " ", count: width - word.count + 2)
        return String(
          "\(word)\(margin)(\(candidate.description))".prefix(max(width, size.columns - 1)))
      }
  }

  /// A word in the form in which bash reads it after an open quotation mark, or without one.
  static func quoted(_ word: String, in quote: Character?) -> String {
    switch quote {
    case "'": return word.reduce(into: "") { $0 += $1 == "'" ? #"'\''"# : "\($1)" }
    case "\"": return escaped(word, "\"\\$`")
    default: return escaped(word, #" "'\$`&;|<>()*?[]{}!#~^"#)
    }
  }

  fileprivate static func escaped(_ word: String, _ special: String) -> String {
    word.reduce(into: "") { text, character in
      if special.contains(character) { text.append("\\") }
      text.append(character)
    }
  }
}

extension Completion.Candidate {
  /// The same candidate without control characters in the description.
  fileprivate var inOneLine: Self {
    Self(word, String(description.map { $0.isControl ? " " : $0 }), isBeginning: isBeginning)
  }

  /// The candidate for `_describe`, which splits at a colon.
  fileprivate var forZsh: String {
    let word = Shell.escaped(word, "\\:")
    return (isBeginning ? "=" : "+") + (description.isEmpty ? word : "\(word):\(description)")
  }

  fileprivate var forFish: String { description.isEmpty ? word : "\(word)\t\(description)" }
}

extension Character {
  fileprivate var isControl: Bool {
    unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
  }
}
