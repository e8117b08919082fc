/// A group of commands. Lists show the groups in this order, each under its heading.
enum SessionCommandGroup: String, CaseIterable, Sendable {
  /// The port and the settings of its line.
  case device
  /// Breaks and modem lines.
  case lines
  /// What is sent, and how typing becomes bytes.
  case sending
  /// How the device's output is shown, searched and plotted.
  case view
  /// What is written to files.
  case log
  /// The ports of the program.
  case ports
  /// The other members of the session.
  case sharing
  /// The session as a whole.
  case session

  /// The heading.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// The commands of every session that are in the group, in the order in which they are listed.
  /// This is the only list of commands: a command that is not in it does not exist for users.
  fileprivate var commands: [Command] {
    switch self {
    case .device:
      [
        LineParameters.baud.command, LineParameters.dataBits.command, LineParameters.parity.command,
        LineParameters.stopBits.command, LineParameters.flow.command, .release, .reconnect,
      ]
    case .lines:
      [
        Command.sendBreak.command, Command.toggleLine.command, Command.pulseLine.command,
        .showLines, Command.sequence.command,
      ]
    case .sending:
      [
        Command.sendFile.command, Command.receiveFiles.command, Command.runScript.command,
        Command.runProgram.command, Command.repeatText.command, .stop,
        KeyboardParameters.localEcho.command,
      ] + KeyboardParameters.inputMode.commands + [
        TextParameters.checksum.command, KeyboardParameters.lineEnding.command,
        KeyboardParameters.readOnly.command, KeyboardParameters.answer.command, .terminalSize,
        .followSize,
      ]
    case .view:
      [ViewParameters.hex.command, ViewParameters.frames.command]
        + ViewParameters.timestamps.commands + ViewParameters.map.commands + [
          TextParameters.encoding.command, ViewParameters.show.command, ViewParameters.hide.command,
          ViewParameters.level.command, ViewParameters.collapse.command,
          ViewParameters.highlight.command, ViewParameters.raw.command,
          ViewParameters.status.command, .pause, .filter, .search, .plot,
          Command.plotForm.command, Command.plotMatch.command, .writePlot, .clearScreen,
        ]
    case .log: [.log, Command.mark.command, .writeText]
    case .ports:
      [.nextPort, Command.port.command, .sendToAll, Command.connectTo.command]
    case .sharing:
      [
        .pen, .takePen, Command.name.command, .who, Command.share.command, .shareLog,
        .stopSharing,
      ]
    case .session:
      [.help, .palette, .quit, .showConfiguration, .copySettings, .saveProfile, .statistics]
    }
  }
}

extension Command {
  /// The commands of every session, in the order in which they are listed.
  static let all = SessionCommandGroup.allCases.flatMap(\.commands)

  private static let groups = SessionCommandGroup.allCases.map { ($0, $0.commands) }

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

  /// The commands of the session by their groups: those of every session, then those that its
  /// configuration defines.
  static func groups(in state: TerminalState) -> [(group: SessionCommandGroup, commands: [Command])]
  {
    groups.map { group, commands in
      switch group {
      case .sending: (group, commands + state.snippets.map(\.command))
      case .lines: (group, commands + state.sequences.map(\.command))
      default: (group, commands)
      }
    }
  }
}

extension TerminalState {
  /// The commands of the session, in the order in which they are listed.
  var commands: [Command] { Command.groups(in: self).flatMap(\.commands) }
}
