import EventLoop
import SerialCore
import SystemPackage
import TerminalUI
import Views

/// What the user does: the controller's half of the command table.
extension ConnectController {
  /// Does what the key after the prefix stands for, or says why not.
  func perform(_ key: UInt8) {
    dialogs.dismiss()
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
    guard case .character(let scalar) = key else { return answer(noCommandCalled: "that key") }
    answer(noCommandCalled: "\(scalar)")
  }

  private func answer(noCommandCalled name: String) {
    console.answer(["\(name) is no command; \(configuration.prefix) ? lists them."])
  }

  private func attempt(_ command: Command) {
    switch command.availability(in: model.state) {
    case .enabled: perform(command)
    case .disabled(let reason): console.answer(["\(command.entry.name) is off: \(reason)."])
    }
  }

  private func perform(_ command: Command) {
    switch command {
    case .help:
      let list = CommandList(state: model.state, prefix: configuration.prefix)
      console.answer(
        styled: list.lines(style: console.messageStyle, columns: console.screen.columns))
    case .palette: openPalette()
    case .quit: quit()
    case .release: releaseDesk.toggle()
    case .reconnect:
      model.update { $0.reconnects.toggle() }
      session.waitsForLostDevice = model.state.reconnects
      console.answer(["a lost device \(model.state.reconnects ? "is" : "is not") waited for."])
    case .showConfiguration: console.answer(model.state.summary)
    case .statistics:
      session.refreshCounters()
      console.answer(statistics.lines(unsent: session.unsentByteCount, counters: session.counters))
    case .baudRate: askForBaudRate()
    case .dataBits: askForSetting("data bits", \.dataBits, for: command)
    case .parity: askForSetting("parity", \.parity, for: command)
    case .stopBits: askForSetting("stop bits", \.stopBits, for: command)
    case .flowControl: askForSetting("flow control", \.flowControl, for: command)
    case .sendBreak: sendBreak()
    case .toggleLine: askForLine("toggle", for: command) { [unowned self] in toggle($0) }
    case .pulseLine: askForLine("pulse", for: command) { [unowned self] in startPulse($0) }
    case .showLines: showLines()
    case .sendFile: askForFile(in: ".")
    case .stopSending: transfer?.stop()
    case .readOnly: toggle(\.isReadOnly, of: command)
    case .localEcho: toggle(\.echoesLocally, of: command)
    case .lineInput: toggle(\.editsLines, of: command)
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

  /// Switches something on or off that is nothing but state, and says so.
  private func toggle(_ setting: WritableKeyPath<TerminalState, Bool>, of command: Command) {
    model.update { $0[keyPath: setting].toggle() }
    console.answer(["\(command.entry.name) is \(model.state[keyPath: setting].onOff)."])
  }

  private func openPalette() {
    dialogs.ask(
      Question(
        title: "command", choices: { [unowned model] _ in CommandList.choices(in: model.state) },
        onAnswer: { [unowned self] name in
          if let command = Command.allCases.first(where: { $0.entry.name == name }) {
            attempt(command)
          }
        }))
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
        console.answer(["no log: \(error.message)"])
      }
    }
    model.update { $0.log = parts.log.path }
  }
}
