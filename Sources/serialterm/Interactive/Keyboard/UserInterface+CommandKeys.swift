import Sessions
import Terminal
import TerminalWidgets

/// The keys that start commands.
extension UserInterface {
  /// Performs the command of the key after the prefix, or reports that there is none.
  func perform(_ key: UInt8) {
    guard let command = Command(key: key, in: model.state) else {
      dialogs.dismiss()
      return answer(noCommandCalled: PrefixKeyParser.name(ofKey: key), advice(onControlKey: key))
    }
    performFromKeyboard(command)
  }

  private func performFromKeyboard(_ command: Command) {
    let isSecondQuit = leaving.questions.isAskingToQuit && command == .quit
    dialogs.dismiss()
    if isSecondQuit { return leaving.leave() }
    perform(command, from: .key)
  }

  /// Performs the command of an escape sequence.
  func perform(_ command: EscapeParser.Command) {
    switch command {
    case .quit: performFromKeyboard(.quit)
    case .help: console.answer(keyboard.keys.escapeCommands)
    }
  }

  /// Reports that a key has no command.
  func answer(noCommandFor key: Key) {
    dialogs.dismiss()
    guard case .character(let scalar) = key else {
      return answer(noCommandCalled: "and that key")
    }
    answer(noCommandCalled: "\(scalar)")
  }

  private func answer(noCommandCalled name: String, _ advice: String = "") {
    let prefix = keyboard.keys.prefix
    console.answer(["\(prefix) \(name) does nothing. Press \(prefix) ? for a list.\(advice)"])
  }

  /// Advice for a user who still holds ctrl when the key of a command is pressed; empty for
  /// any other key.
  private func advice(onControlKey key: UInt8) -> String {
    guard (0x01...0x1A).contains(key), case let letter = key | 0x60,
      Command(key: letter, in: model.state) != nil
    else { return "" }
    let name = Character(Unicode.Scalar(letter))
    return " For \(keyboard.keys.prefix) \(name), release ctrl before you press \(name)."
  }

  /// Performs a command for the user, and shows the outcome.
  func perform(_ command: Command, from sender: CommandCall.Sender) {
    command.perform(
      CommandCall(from: sender, at: focus.port.port, user: self) { [unowned self] outcome in
        let lines = outcome.lines.map {
          keyboard.keys.explainingPen(in: $0, canAsk: Command.pen.refusal(in: model.state) == nil)
        }
        if !lines.isEmpty { console.answer(lines) }
      })
  }
}
