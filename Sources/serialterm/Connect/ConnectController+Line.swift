import EventLoop
import SerialCore
import TerminalUI

/// How long a break lasts; see tcsendbreak(3): 250 ms to 500 ms.
private let breakLength = Duration.milliseconds(250)
/// How long a pulse of a modem line lasts: boards are reset by less.
private let pulseLength = Duration.milliseconds(100)

/// The commands that change the line.
extension ConnectController {
  func sendBreak() {
    do {
      try session.setBreak(true)
    } catch {
      return console.answer([Failure(error).message])
    }
    breakTimer = loop.schedule(after: breakLength) { [unowned self] in endBreak() }
  }

  private func endBreak() {
    guard breakTimer != nil else { return }
    breakTimer = nil
    // The device may have gone just now, and the break with it.
    _ = try? session.setBreak(false)
    console.answer(["break sent."])
  }

  /// Ends what lasts for a moment: the port is about to be closed.
  func endBreakAndPulse() {
    endBreak()
    endPulse()
  }

  /// The port is closed, and with it what lasted for a moment.
  func forgetBreakAndPulse() {
    breakTimer = nil
    pulse = nil
  }

  // MARK: Settings

  func askForBaudRate() {
    dialogs.ask(
      Question(
        title: "baud rate",
        choices: { [unowned model] typed in
          BaudRateChoices.choices(typed: typed, now: model.state.requestedSettings.baudRate)
        },
        onAnswer: { [unowned self] answer in
          if let rate = try? LineSettings.baudRate(parsing: answer) {
            change { $0.baudRate = rate }
          }
        }
      ).whileOn(.baudRate, in: model))
  }

  /// Asks for one of the values that a setting has.
  func askForSetting<Value: CaseIterable & RawRepresentable & Equatable>(
    _ name: String, _ setting: WritableKeyPath<LineSettings, Value>, for command: Command
  ) {
    func text(_ value: Value) -> String { "\(value.rawValue)" }
    dialogs.ask(
      Question(
        title: name,
        choices: { [unowned model] _ in
          let now = model.state.requestedSettings[keyPath: setting]
          return Value.allCases.map {
            Choice(id: text($0), title: text($0), detail: $0 == now ? "now" : "")
          }
        },
        onAnswer: { [unowned self] answer in
          if let value = Value.allCases.first(where: { text($0) == answer }) {
            change { $0[keyPath: setting] = value }
          }
        }
      ).whileOn(command, in: model))
  }

  /// Asks the driver for other settings, and says what became of it.
  private func change(_ update: (inout LineSettings) -> Void) {
    var wanted = session.requestedSettings
    update(&wanted)
    do {
      try session.apply(wanted)
    } catch {
      return console.answer(["\(Failure(error).message) The line stays as it was."])
    }
    // Where the driver took nothing of it, the session has no change to tell of.
    model.update { $0.requestedSettings = wanted }
    guard case .open(_, let actual) = session.state else { return }
    console.answer(["\(wanted) was asked for, the driver set \(actual)."])
  }

  // MARK: Modem lines

  /// Asks for one of the lines that this end drives.
  func askForLine(
    _ verb: String, for command: Command, then act: @escaping (ModemLines) -> Void
  ) {
    let outputs = ModemLines.named.filter { ModemLines.outputs.contains($0.line) }
    session.refreshModemLines()
    dialogs.ask(
      Question(
        title: "line to \(verb)",
        choices: { [unowned model] _ in
          outputs.map { name, line in
            let isAsserted = model.state.modemLines?.contains(line) ?? false
            return Choice(
              id: name, title: name, detail: isAsserted ? "asserted" : "deasserted")
          }
        },
        onAnswer: { answer in
          if let line = outputs.first(where: { $0.name == answer })?.line { act(line) }
        }
      ).whileOn(command, in: model))
  }

  func toggle(_ line: ModemLines) {
    guard flip(line) else { return }
    showLines()
  }

  func startPulse(_ line: ModemLines) {
    // One after the other: each ends with the line as it began.
    endPulse()
    guard flip(line) else { return }
    pulse = (line, loop.schedule(after: pulseLength) { [unowned self] in endPulse() })
  }

  private func endPulse() {
    guard let line = pulse?.line else { return }
    pulse = nil
    if flip(line) { console.answer(["\(line) pulsed."]) }
  }

  /// Asserts a line that is deasserted, and the other way round.
  ///
  /// - Returns: whether that could be done; the user has been told if not.
  private func flip(_ line: ModemLines) -> Bool {
    session.refreshModemLines()
    do {
      if session.modemLines?.contains(line) == true {
        try session.setModemLines(deasserting: line)
      } else {
        try session.setModemLines(asserting: line)
      }
      return true
    } catch {
      console.answer([Failure(error).message])
      return false
    }
  }

  func showLines() {
    session.refreshModemLines()
    guard let lines = session.modemLines else { return }
    let words = ModemLines.named.map { name, line in
      "\(name) \(lines.contains(line) ? "asserted" : "deasserted")"
    }
    console.answer([words.joined(separator: ", ") + "."])
  }
}
