import Options
import Terminal
import TextTools

/// `serialterm describe`: prints the help for all commands as JSON, which the manual is made from.
struct DescribeCommand: Subcommand {
  static let description = CommandDescription(
    "describe", "Print what help says about all commands, in JSON.",
    example: "serialterm describe", sections: [], isHidden: true)

  init(_ values: Values) {}

  func execute(in context: CommandContext) throws -> ExitStatus {
    let commands = Subcommands.all.map { $0.description }.filter { !$0.isHidden }
    let json = JSON.object([
      ("program", .string(Serialterm.name)), ("version", .string(Serialterm.version)),
      ("summary", .string(HelpTopic.summary)), ("groups", .array(HelpTopic.groups.map(\.json))),
      ("commands", .array(commands.map(\.json))),
      ("topics", .terms(HelpTopic.subjects.map { ($0.name, $0.summary) })),
      ("targets", .terms(HelpTopic.targetForms)), ("exitStatuses", .terms(HelpTopic.exitStatuses)),
    ])
    try StandardStream.output.print("\(json)\n")
    return .done
  }
}

extension JSON {
  fileprivate static func terms(_ terms: [(term: String, meaning: String)]) -> JSON {
    .array(terms.map { .array([.string($0.term), .string($0.meaning)]) })
  }
}

extension CommandGroup {
  fileprivate var json: JSON {
    .object([
      ("name", .string(name)), ("summary", .string(summary)), ("discussion", .string(discussion)),
      ("example", .string(example)),
    ])
  }
}

extension CommandDescription {
  fileprivate var json: JSON {
    .object([
      ("name", .string(name)), ("summary", .string(summary)), ("discussion", .string(discussion)),
      ("example", .string(example)), ("usage", .string(usage(of: Serialterm.name))),
      (
        "sections",
        .array(
          sections.map { section in
            .object([
              ("title", .string(section.title)),
              (
                "parameters",
                .terms(section.declarations.map { (term: $0.usage, meaning: $0.explanation) })
              ),
            ])
          })
      ),
    ])
  }
}
