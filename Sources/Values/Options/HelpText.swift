import TextTools

/// The help of a command as lines for a terminal.
public struct HelpText {
  /// The maximum number of columns of a line.
  public static let width = 80

  private var blocks: [String] = []

  /// Creates an empty text.
  public init() {}

  /// Creates the help of a command: its examples first, then what it does, then its parameters.
  ///
  /// - Parameters:
  ///   - program: the name of the program.
  ///   - isComplete: whether it has all options, with everything about them. Otherwise a command
  ///     with many options shows ``CommandDescription/mostUsed``, and where the others are.
  public init(_ command: CommandDescription, of program: String, isComplete: Bool) {
    add(paragraphs: command.summary)
    add("Usage: \(command.usage(of: program))")
    add(example: command.example)
    add(paragraphs: command.discussion)
    guard command.hasMoreOptions, !isComplete else {
      for section in command.sections where !section.declarations.isEmpty {
        add(section.title, section.declarations)
      }
      return
    }
    let arguments = command.declarations.filter(\.isArgument)
    if !arguments.isEmpty { add("ARGUMENTS", arguments) }
    add(brief: "MOST USED OPTIONS", command.mostUsed)
    add("All options: \(program) help \(command.name) all")
  }

  /// The text, with empty lines between its parts.
  public var text: String { blocks.joined(separator: "\n\n") + "\n" }

  /// Adds lines unchanged.
  public mutating func add(_ lines: String) {
    if !lines.isEmpty { blocks.append(lines) }
  }

  /// Adds paragraphs, whose lines are filled. Lines that begin with a space stay unchanged.
  public mutating func add(paragraphs: String) {
    for paragraph in paragraphs.split(atText: "\n\n") where !paragraph.isEmpty {
      add(
        paragraph.hasPrefix(" ")
          ? String(paragraph) : Self.filled(String(paragraph)).joined(separator: "\n"))
    }
  }

  /// Adds shell commands as an example.
  public mutating func add(example: String) {
    let lines = example.split(separator: "\n")
    let heading = lines.count == 1 ? "EXAMPLE" : "EXAMPLES"
    add(([heading] + lines.map { "  \($0)" }).joined(separator: "\n"))
  }

  /// Adds a list of parameters below a heading.
  public mutating func add(_ heading: String, _ declarations: [Declaration]) {
    add(heading, declarations.map { ($0.listed, $0.explanation) })
  }

  /// Adds a list of parameters below a heading, each with its summary and default value.
  public mutating func add(brief heading: String, _ declarations: [Declaration]) {
    add(heading, declarations.map { ($0.listed, $0.briefExplanation) })
  }

  /// Adds a list of terms with their meanings below a heading.
  ///
  /// - Parameter indentation: the column where the meanings begin.
  public mutating func add(
    _ heading: String, _ terms: [(term: String, meaning: String)], indentation: Int = 26
  ) {
    let lines = terms.flatMap { term, meaning in
      Self.lines("  \(term)", meaning, indentation: indentation)
    }
    add(([heading] + lines).joined(separator: "\n"))
  }

  private static func lines(_ term: String, _ meaning: String, indentation: Int) -> [String] {
    let margin = String(repeating: " ", count: indentation)
    let described = filled(meaning, width: width - indentation).map { margin + $0 }
    guard let first = described.first, term.count + 2 <= indentation else {
      return [term] + described
    }
    return [term + first.dropFirst(term.count)] + described.dropFirst()
  }

  /// The words of a text, in lines of at most this width.
  private static func filled(_ text: String, width: Int = width) -> [String] {
    var lines: [String] = []
    for word in text.split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Declaration {
  /// The parameter in a list, where those without a letter are indented.
  fileprivate var listed: String {
    isArgument || letter != nil || oppositeName != nil ? usage : "    \(usage)"
  }
}
