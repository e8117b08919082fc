import Options
import Terminal

/// `serialterm complete-line`: completes a command line, for the scripts of shells.
struct CompleteLineCommand: Subcommand {
  private static let shell = Parameter<Shell>.argument(
    "shell", "The shell: bash, zsh or fish.", standard: .bash,
    parse: { text in
      guard let shell = Shell(rawValue: text) else { throw ValueError(text, expected: "a shell") }
      return shell
    })
  private static let line = Parameter<String>.argument(
    "line", "The command line up to the cursor.", standard: "", parse: { $0 })
  private static let breaks = Parameter<String>.option(
    "breaks", "CHARACTERS", "The characters that separate words besides blanks.", standard: "",
    parse: { $0 })
  private static let rows = Parameter<Int>.option(
    "rows", "NUMBER", "The rows of the terminal, if the shell shows a list now.", standard: 0,
    parse: { Int($0) ?? 0 })
  private static let columns = Parameter<Int>.option(
    "columns", "NUMBER", "The columns of the terminal.", standard: 80, parse: { Int($0) ?? 80 })

  static let description = CommandDescription(
    "complete-line", "Print what the last word of a command line can become.",
    example: "serialterm complete-line bash 'serialterm con'",
    sections: [
      ParameterSection("ARGUMENTS", [shell, line]),
      ParameterSection("OPTIONS", [breaks, rows, columns]),
    ], isHidden: true)

  private let values: Values

  init(_ values: Values) { self.values = values }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let line = TypedLine(values[Self.line], breaks: values[Self.breaks])
    let answer = Completer.program.answer(Array(line.words.dropFirst()))
    let rows = values[Self.rows]
    try StandardStream.output.print(
      values[Self.shell].reply(
        answer, to: line,
        listIn: rows > 0 ? Shell.ListSize(rows: rows, columns: values[Self.columns]) : nil))
    return .done
  }
}

extension Completer {
  /// Completes the command lines of the program.
  static var program: Completer {
    Completer(
      Subcommands.all.map { $0.description }, standard: ConnectCommand.description,
      configurable: Set(Subcommands.profiled.map { $0.description.name }),
      groups: HelpTopic.groups.map { Completion.Candidate($0.name, $0.summary) },
      subjects: HelpTopic.subjects.map { Completion.Candidate($0.name, $0.summary) })
  }
}
