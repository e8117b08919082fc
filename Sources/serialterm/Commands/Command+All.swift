extension Command {
  /// All commands, in the order of the lists.
  static let all: [Command] = [
    help, palette, quit,
    sendFile.command, stopSending, sendBreak.command, toggleLine.command, pulseLine.command,
    showLines, localEcho, lineInput, lineEnding.command, readOnly,
    baudRate.command, dataBits.command, parity.command, stopBits.command, flowControl.command,
    log, hexView, timestamps, timestampFormat.command, highlight, filter,
    mapping.command, inputMap.command, outputMap.command, statusLine, clearScreen,
    nextPort, port.command, sendToAll, connectTo.command,
    release, reconnect, showConfiguration, copySettings, statistics,
  ]

  /// The command of a key; nil if it has none.
  init?(key: UInt8) {
    let character = Character(Unicode.Scalar(key))
    guard let command = Self.all.first(where: { $0.key == character }) else { return nil }
    self = command
  }

  /// The command with a name; nil if there is none.
  init?(named name: String) {
    guard let command = Self.all.first(where: { $0.name == name }) else { return nil }
    self = command
  }
}
