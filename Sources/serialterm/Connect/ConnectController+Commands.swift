import EventLoop
import SerialCore
import SystemPackage
import TerminalUI
import Views

/// Runs the commands that the user gives by key or palette.
extension ConnectController {
  /// Runs the command of the key after the prefix, or says why not.
  func perform(_ key: UInt8) {
    let isSecondQuit = isAskingToQuit && Command(key: key) == .quit
    dialogs.dismiss()
    if isSecondQuit { return leave() }
    guard let command = Command(key: key) else {
      let name = Character(Unicode.Scalar(key))
      let shown = key < 0x20 ? "\(PrefixKey.control(key))" : "\(name)"
      return answer(noCommandCalled: shown)
    }
    attempt(command)
  }

  /// The same for a key that no command can have.
  func answer(noCommandFor key: Key) {
    dialogs.dismiss()
    guard case .character(let scalar) = key else {
      return answer(noCommandCalled: "and that key")
    }
    answer(noCommandCalled: "\(scalar)")
  }

  private func answer(noCommandCalled name: String) {
    let prefix = configuration.prefix
    console.answer(["\(prefix) \(name) does nothing. Press \(prefix) ? for a list."])
  }

  private func attempt(_ command: Command) {
    switch command.availability(in: model.state) {
    case .enabled: perform(command)
    case .disabled(let reason): answer(.unavailable(because: reason))
    }
  }

  /// Shows what became of a command.
  func answer(_ outcome: CommandOutcome) { console.answer([outcome.message]) }

  private func perform(_ command: Command) {
    switch command {
    case .help: showHelp()
    case .palette: openPalette()
    case .quit: quit()
    case .release: toggleRelease()
    case .reconnect:
      model.update { $0.reconnects.toggle() }
      session.waitsForLostDevice = model.state.reconnects
      console.answer([
        model.state.reconnects
          ? "reconnect is on: the session waits for a lost device."
          : "reconnect is off: the session ends when the device is lost."
      ])
    case .showConfiguration: console.answer(model.state.summary)
    case .statistics:
      session.refreshCounters()
      console.answer(statistics.lines(unsent: session.unsentByteCount, counters: session.counters))
    case .baudRate: askForBaudRate()
    case .dataBits: askForSetting("data bits", \.dataBits, for: command)
    case .parity: askForSetting("parity", \.parity, for: command)
    case .stopBits: askForSetting("stop bits", \.stopBits, for: command)
    case .flowControl: askForSetting("flow control", \.flowControl, for: command)
    case .sendBreak: lineCommands.sendBreak { [unowned self] in answer($0) }
    case .toggleLine:
      askForLine("toggle", for: command) { [unowned self] line in
        answer(lineCommands.toggle(line))
      }
    case .pulseLine:
      askForLine("pulse", for: command) { [unowned self] line in
        lineCommands.pulse(line) { [unowned self] in answer($0) }
      }
    case .showLines: answer(lineCommands.showLines())
    case .sendFile: askForFile()
    case .stopSending: parts.transfer?.stop()
    case .readOnly: toggle(\.isReadOnly, of: command)
    case .localEcho: toggle(\.echoesLocally, of: command)
    case .lineInput: toggle(\.editsLines, of: command)
    case .lineEnding: askForLineEnding()
    case .hexView: toggle(\.view.isHex, of: command)
    case .timestamps: toggleTimestamps()
    case .timestampFormat: askForTimestampFormat()
    case .highlight: toggleHighlights()
    case .filter: toggleFilter()
    case .mapping: askForMap("mapping", Direction.allCases)
    case .inputMap: askForMap("input map", [.fromDevice])
    case .outputMap: askForMap("output map", [.toDevice])
    case .clearScreen: console.clear()
    case .statusLine: toggle(\.showsStatus, of: command)
    case .log: toggleLog()
    }
  }

  /// Releases the port, or takes it back: by a key, the palette or a signal.
  func toggleRelease() {
    if let outcome = releaseDesk.toggle() { answer(outcome) }
  }

  /// Toggles a setting that is only state, and says so.
  private func toggle(_ setting: WritableKeyPath<TerminalState, Bool>, of command: Command) {
    model.update { $0[keyPath: setting].toggle() }
    console.answer(["\(command.entry.name) is \(model.state[keyPath: setting].onOff)."])
  }

  /// Lists the commands: below each other where they are printed anyway, else on the screen if they
  /// fit, else in pages.
  private func showHelp() {
    let list = CommandList(state: model.state, prefix: configuration.prefix)
    let size = console.screen.textSize
    if dialogs.isPlain {
      return dialogs.print(list.lines(columns: size.columns), rows: size.rows)
    }
    let lines = list.lines(on: size)
    // The row of the cursor, and of the line that is edited, stay free.
    let rest = size.rows - 1 - (model.state.editsLines ? 1 : 0)
    if lines.count <= rest && lines.allSatisfy({ $0.width <= size.columns }) {
      return console.answer(lines)
    }
    dialogs.show { [unowned self] size in
      CommandList(state: model.state, prefix: configuration.prefix).lines(on: size)
    }
  }

  private func openPalette() {
    dialogs.ask(
      Question(
        title: "command", choices: { [unowned model] _ in CommandList.choices(in: model.state) },
        onAnswer: { [unowned self] in attempt($0) }))
  }

  private func toggleLog() {
    if let path = parts.log.path {
      parts.log.switchOff()
      console.answer(["the log \(path) is off."])
    } else {
      do throws(Failure) {
        try parts.log.switchOn(for: session.state)
        console.answer(["logging to \(parts.log.path!)."])
      } catch {
        console.answer(["cannot log: \(error.message)"])
      }
    }
    model.update { $0.log = parts.log.path }
  }
}
