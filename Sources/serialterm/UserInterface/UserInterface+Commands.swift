import Sessions
import SystemPackage
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
    let isSecondQuit = isAskingToQuit && command == .quit
    dialogs.dismiss()
    if isSecondQuit { return leave() }
    perform(command, from: .key)
  }

  /// Performs the command of an escape sequence.
  func perform(_ command: EscapeParser.Command) {
    switch command {
    case .quit: performFromKeyboard(.quit)
    case .help: console.answer(escapesInWords)
    }
  }

  private var escapesInWords: [String] {
    let (prefix, escape) = (input.prefix, input.escape)
    return [
      "at the start of a line, after Enter:", "    \(escape).  quits",
      "    \(escape)?  shows this list",
      "    \(escape)\(escape)  sends one \(escape)",
    ] + (prefix == .none ? [] : ["\(prefix) ? lists all commands."])
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
    let prefix = input.prefix
    console.answer(["\(prefix) \(name) does nothing. Press \(prefix) ? for a list.\(advice)"])
  }

  /// Advice for a user who still holds ctrl when the key of a command is pressed; empty for any other key.
  private func advice(onControlKey key: UInt8) -> String {
    guard (0x01...0x1A).contains(key), case let letter = key | 0x60,
      Command(key: letter, in: model.state) != nil
    else { return "" }
    let name = Character(Unicode.Scalar(letter))
    return " For \(input.prefix) \(name), release ctrl before you press \(name)."
  }

  /// Performs a command for the user, and shows the outcome.
  func perform(_ command: Command, from sender: CommandCall.Sender) {
    command.perform(
      CommandCall(from: sender, at: focus.port, user: self) { [unowned self] outcome in
        if !outcome.lines.isEmpty { console.answer(outcome.lines) }
      })
  }
}

extension UserInterface: CommandUser {
  func ask<Answer>(_ question: Question<Answer>) { dialogs.ask(question) }

  func show(_ lines: [String]) { console.answer(lines) }

  func updateQuestion() { dialogs.refresh(isUrgent: true) }

  /// Lists the commands: one per line if they are printed anyway; otherwise on the alternate screen. A terminal without
  /// one shows them below the text if they fit, else in pages.
  func showCommandList() {
    let list = CommandList(state: model.state, prefix: input.prefix)
    let size = console.screen.textSize
    if dialogs.isPlain {
      return dialogs.print(list.lines(columns: size.columns), rows: size.rows)
    }
    let lines = list.lines(on: size)
    let canCover = console.screen.canCoverWhole
    // The rows of the cursor and of the edited line stay free.
    let rest = size.rows - 1 - (model.state.editsLines ? 1 : 0)
    if !canCover, lines.count <= rest, lines.allSatisfy({ $0.width <= size.columns }) {
      return console.answer(lines)
    }
    dialogs.show { [unowned self] size in
      CommandList(state: model.state, prefix: input.prefix).lines(on: size)
    }
  }

  func clearScreen() { console.clear() }

  func toggleFilter() {
    if filter.isOn { filter.stop() } else { filter.start() }
  }

  func stopExchange() { controller.exchange?.stop() }
}
