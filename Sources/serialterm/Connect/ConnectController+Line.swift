import SerialCore
import TerminalUI

/// The questions of the commands that change the line; ``LineCommands`` carries them out.
extension ConnectController {
  // MARK: Settings

  func askForBaudRate() {
    dialogs.ask(
      Question(
        title: "baud rate",
        choices: { [unowned model] typed in
          BaudRateChoices.choices(typed: typed, now: model.state.requestedSettings.baudRate)
        },
        onAnswer: { [unowned self] rate in
          if let rate { change(\.baudRate, to: rate, by: .baudRate) }
        }
      ).whileOn(.baudRate, in: model))
  }

  /// Asks for one of the values that a setting has.
  func askForSetting<Value: CaseIterable & RawRepresentable & Hashable>(
    _ name: String, _ setting: WritableKeyPath<LineSettings, Value>, for command: Command
  ) {
    dialogs.ask(
      Question(
        title: name,
        choices: { [unowned model] _ in
          let now = model.state.requestedSettings[keyPath: setting]
          return Value.allCases.map { Choice($0, "\($0.rawValue)", isCurrent: $0 == now) }
        },
        onAnswer: { [unowned self] in change(setting, to: $0, by: command) }
      ).whileOn(command, in: model))
  }

  /// Changes a setting, unless the present value was chosen.
  private func change<Value: Equatable>(
    _ setting: WritableKeyPath<LineSettings, Value>, to value: Value, by command: Command
  ) {
    let settings = model.state.requestedSettings
    guard settings[keyPath: setting] != value else {
      return answer(.done("No change: \(settings)."))
    }
    lineCommands.change(by: [command]) {
      $0[keyPath: setting] = value
    } then: { [unowned self] in
      answer($0)
    }
  }

  // MARK: Modem lines

  /// Asks for one of the output lines, DTR or RTS.
  func askForLine(
    _ verb: String, for command: Command, then act: @escaping (ModemLines) -> Void
  ) {
    let outputs = ModemLines.named.filter { ModemLines.outputs.contains($0.line) }
    session.refreshModemLines()
    dialogs.ask(
      Question(
        title: "line to \(verb)",
        choices: { [unowned model] _ in
          [.noChange("")]
            + outputs.map { name, line in
              let isAsserted = model.state.modemLines?.contains(line) ?? false
              return Choice<ModemLines?>(
                id: line, title: name, detail: isAsserted ? "asserted" : "deasserted")
            }
        },
        onAnswer: { line in
          if let line { act(line) }
        }
      ).whileOn(command, in: model))
  }
}
