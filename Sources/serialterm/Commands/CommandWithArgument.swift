/// A command with an argument. A program gives the argument; a user is asked for it.
struct CommandWithArgument<Value: Sendable>: Sendable {
  /// The record for lists.
  let command: Command
  let argument: ArgumentKind<Value>
  private let action: @Sendable (Value, CommandCall) -> Void

  /// Creates a command.
  ///
  /// - Parameters:
  ///   - users: who may use it; see ``Command``.
  ///   - perform: called with a valid argument when the conditions are met. It answers the call
  ///     once, during the call or later.
  init(
    _ key: Character?, _ name: String, _ summary: String, or synonyms: [String],
    users: Set<UserKind> = .local, needs: [Need] = [],
    value: @escaping @Sendable (TerminalState) -> String? = { _ in nil },
    argument: ArgumentKind<Value>, perform: @escaping @Sendable (Value, CommandCall) -> Void
  ) {
    self.argument = argument
    action = perform
    command = Command(
      key, name, summary, or: synonyms, users: users, needs: needs, value: value,
      argument: argument.form
    ) { call in
      if let text = call.argument {
        guard let value = argument.parse(text) else {
          return call.answer(.failed("\(name): expected \(argument.expected)"))
        }
        perform(value, call)
      } else if let value = argument.standard {
        perform(value, call)
      } else if let user = call.user {
        // The state may change while the question is open.
        argument.ask(ArgumentRequest(call: call, user: user, needs: needs)) { value in
          call.when(needs) { perform(value, call) }
        }
      } else {
        call.answer(.failed("\(name): expected \(argument.expected)"))
      }
    }
  }

  /// Performs the command with an argument if it is available, and answers the call.
  func perform(_ value: Value, _ call: CommandCall) {
    call.when(command.needs) { action(value, call) }
  }
}
