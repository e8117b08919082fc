extension Command {
  /// The commands of every session, in the order in which they are listed. A group is a list in the
  /// file of its commands.
  static let all: [Command] = [
    generalCommands, transferCommands, exchangeCommands, modemLineCommands,
    KeyboardParameters.all.commands,
    LineParameters.all.commands, logCommands, viewCommands, searchCommands, plotCommands,
    screenCommands, sizeCommands, severalPortsCommands, sharingCommands, portCommands,
    overviewCommands,
  ].flatMap(\.self)

  /// Finds the command with a key in a session; nil if there is none.
  init?(key: UInt8, in state: TerminalState) {
    // Not every keyboard has a q, but each has a ctrl-q.
    let character = key == 0x11 ? Command.quit.key : Character(Unicode.Scalar(key))
    guard let command = state.commands.first(where: { $0.key == character }) else { return nil }
    self = command
  }

  /// Finds the command of every session with a name; nil if there is none.
  init?(named name: String) {
    guard let command = Self.all.first(where: { $0.name == name }) else { return nil }
    self = command
  }
}

extension TerminalState {
  /// The commands of the session, in the order in which they are listed: those of every session,
  /// then those that its configuration defines.
  var commands: [Command] {
    Command.all + snippets.map(\.command) + sequences.map(\.command)
  }
}
