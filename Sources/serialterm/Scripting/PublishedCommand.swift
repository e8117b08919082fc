import Sessions
import TextTools

/// A command of the palette, as a program sees it in a state.
struct PublishedCommand: Hashable {
  let name: String
  private let title: String
  /// The present value of the setting that the command changes; nil if there is none.
  private let value: String?
  /// The reason why the command is unavailable; nil if it is available.
  let reason: String?
  private let argument: ArgumentForm?

  init(_ command: Command, in state: TerminalState) {
    name = command.name
    title = command.summary
    value = command.value(state)
    argument = command.argument
    reason =
      switch command.availability(in: state) {
      case .enabled: nil
      case .disabled(let reason): reason.text
      }
  }

  var json: JSON {
    var members = [("name", JSON.string(name)), ("title", .string(title))]
    if let value { members.append(("value", .string(value))) }
    if let reason { members.append(("reason", .string(reason))) }
    if let argument {
      members.append(("argument", .string(argument.expected)))
      if let choices = argument.choices {
        members.append(("choices", .array(choices.map { .string($0) })))
      }
    }
    return .object(members)
  }
}

extension TerminalState {
  /// The commands of the palette, in its order.
  var publishedCommands: [PublishedCommand] {
    commands.filter { $0 != .palette }.map { PublishedCommand($0, in: self) }
  }
}
