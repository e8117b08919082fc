extension Command {
  /// The commands of every session, in the order in which they are listed.
  static let all: [Command] = [
    help, palette, quit,
    sendFile.command, receiveFiles.command, runScript.command, runProgram.command, stop,
    sendBreak.command,
    toggleLine.command, pulseLine.command, sequence.command,
    showLines, localEcho, lineInput, lineEnding.command, readOnly,
    baudRate.command, dataBits.command, parity.command, stopBits.command, flowControl.command,
    log, mark.command, hexView, timestamps, timestampFormat.command, highlight, filter,
    search, writeText,
    plot, plotForm.command, plotMatch.command, writePlot,
    mapping.command, inputMap.command, outputMap.command, statusLine, clearScreen,
    terminalSize, followSize,
    nextPort, port.command, sendToAll, connectTo.command,
    pen, takePen, who, share.command, stopSharing,
    release, reconnect, showConfiguration, copySettings, saveProfile, statistics,
  ]

  /// Finds the command with a key in a session; nil if there is none.
  init?(key: UInt8, in state: TerminalState) {
    let character = Character(Unicode.Scalar(key))
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
  /// The commands of the session, in the order in which they are listed: those of every session, then those that its
  /// configuration defines.
  var commands: [Command] {
    Command.all + snippets.map(\.command) + sequences.map(\.command)
  }
}
