import Options
import Terminal

/// `serialterm session-commands`: prints the table of commands that the manual is made from.
struct SessionCommandsCommand: Subcommand {
  static let description = CommandDescription(
    "session-commands",
    "List the commands of a session: key, name and what it does, between tabs.",
    example: "serialterm session-commands", sections: [], isHidden: true)

  init(_ values: Values) {}

  func execute(in context: CommandContext) throws -> ExitStatus {
    let rows = Command.all.map { command in
      "\(command.key.map(String.init) ?? "")\t\(command.name)\t\(command.summary)\n"
    }
    try StandardStream.output.print(rows.joined())
    return .done
  }
}
