/// A command of a session, as one record for keys, the palette, help, JSON, scripts and the manual.
///
/// ``all`` lists the commands of every session, ``TerminalState/commands`` those of one session.
struct Command: Sendable {
  /// The key after the prefix; nil for a command without a key.
  let key: Character?
  /// The name in lists, answers and the manual. It is unique.
  let name: String
  /// A description in a few words: lists have room for about 20 characters. It is empty for a
  /// command that the configuration defines; its ``value`` describes it.
  let summary: String
  /// Other words that users look for.
  let synonyms: [String]
  /// Who may use the command.
  let users: Set<UserKind>
  /// The conditions of the command, first that of its ``users``. The first one that is not met is
  /// the reason why it is unavailable.
  let needs: [Need]
  /// Returns the present value of the setting that the command changes; nil if there is none.
  let value: @Sendable (TerminalState) -> String?
  /// The argument that a program gives; nil for a command without one.
  let argument: ArgumentForm?
  private let action: @Sendable (CommandCall) -> Void

  /// Creates a command for programs and users.
  ///
  /// - Parameters:
  ///   - users: who may use it. For pages are those that touch no files and start no programs, and
  ///     neither share nor end the session.
  ///   - needs: the other conditions.
  ///   - argument: the argument that a program gives; nil for none.
  ///   - perform: called when the conditions are met. It answers the call once, during the
  ///     call or later.
  init(
    _ key: Character?, _ name: String, _ summary: String, or synonyms: [String],
    users: Set<UserKind> = .local, needs: [Need] = [],
    value: @escaping @Sendable (TerminalState) -> String? = { _ in nil },
    argument: ArgumentForm? = nil, perform: @escaping @Sendable (CommandCall) -> Void
  ) {
    self.key = key
    self.name = name
    self.summary = summary
    self.synonyms = synonyms
    self.users = users
    self.needs = [.users(users)] + needs
    self.value = value
    self.argument = argument
    action = perform
  }

  /// Creates a command for persons only.
  ///
  /// - Parameter needs: the other conditions.
  init(
    _ key: Character?, _ name: String, _ summary: String, or synonyms: [String],
    needs: [Need] = [], value: @escaping @Sendable (TerminalState) -> String? = { _ in nil },
    performForUser perform: @escaping @Sendable (CommandCall, any CommandUser) -> Void
  ) {
    self.init(
      key, name, summary, or: synonyms, users: [.person], needs: needs, value: value
    ) { call in
      guard let user = call.user else { return call.answer(.withoutUser) }
      perform(call, user)
    }
  }

  /// The name and the description.
  var title: String { summary.isEmpty ? name : "\(name): \(summary)" }

  /// Why the command is unavailable in a state; nil if it is available.
  func refusal(in state: TerminalState) -> Reason? { needs.unmet(in: state) }

  /// Performs the command if it is available, and answers the call. All senders use this method,
  /// except those with a parsed argument: they use ``CommandWithArgument/perform(_:_:)``.
  func perform(_ call: CommandCall) { call.when(needs) { action(call) } }
}

/// Commands are equal if they have the same name.
extension Command: Hashable {
  static func == (one: Command, other: Command) -> Bool { one.name == other.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Command {
  /// Creates a command that switches a part of the state on or off for a user.
  static func toggle(
    _ key: Character?, _ name: String, _ summary: String, or synonyms: [String], needs: [Need],
    _ part: any WritableKeyPath<TerminalState, Bool> & Sendable,
    then react: @escaping @Sendable (CommandCall, Bool) -> Void = { _, _ in }
  ) -> Command {
    Command(
      key, name, summary, or: synonyms, needs: needs, value: { $0[keyPath: part].onOff }
    ) { call, _ in
      call.port.model.update { $0[keyPath: part].toggle() }
      react(call, call.state[keyPath: part])
      call.answer(.done("\(name) is \(call.state[keyPath: part].onOff)."))
    }
  }
}

extension Bool {
  /// The state of a switch as text.
  var onOff: String { self ? "on" : "off" }
}
