import SerialCore
import TerminalFrontEnd
import TerminalUI

/// The commands that change the settings of the line.
extension Command {
  static let baudRate = setting(
    "B", "baud", "set the baud rate", or: ["speed", "baud rate", "bit rate", "bps"],
    value: { "\($0.baudRate)" }, argument: .baudRate)

  static let dataBits = setting(
    "D", "data-bits", "set the data bits",
    or: ["bits", "word length", "character size", "7 bits", "8 bits"],
    value: { "\($0.dataBits.rawValue)" }, argument: .setting("data bits", \.dataBits))

  static let parity = setting(
    "P", "parity", "set the parity", or: ["even", "odd", "mark", "space"],
    value: { $0.parity.rawValue }, argument: .setting("parity", \.parity))

  static let stopBits = setting(
    "S", "stop-bits", "set the stop bits", or: ["two stop bits", "2 stop bits"],
    value: { "\($0.stopBits.rawValue)" }, argument: .setting("stop bits", \.stopBits))

  static let flowControl = setting(
    "F", "flow", "set the flow control",
    or: ["flow control", "handshake", "rts/cts", "crtscts", "xon/xoff"],
    value: { $0.flowControl.rawValue }, argument: .setting("flow control", \.flowControl))

  /// All of them. Each performs any change of settings.
  static let lineSettings = [baudRate, dataBits, parity, stopBits, flowControl]

  private static func setting(
    _ key: Character, _ name: String, _ summary: String, or synonyms: [String],
    value: @escaping @Sendable (LineSettings) -> String, argument: ArgumentKind<SettingsChange>
  ) -> CommandWithArgument<SettingsChange> {
    CommandWithArgument(
      key, name, summary, or: synonyms, needs: [.openPort, .settings],
      value: { value($0.requestedSettings) }, argument: argument
    ) { change, call in
      let present = call.state.requestedSettings
      // A program may want to set again what another program has changed.
      if call.isFromUser && change.applied(to: present) == present {
        return call.answer(.done("No change: \(present)."))
      }
      call.port.lineCommands.perform(change, then: call.answer)
    }
  }
}

/// A change of one or more settings of the line.
struct SettingsChange: Sendable {
  private var updates: [@Sendable (inout LineSettings) -> Void]

  init(_ update: @escaping @Sendable (inout LineSettings) -> Void) { updates = [update] }

  /// A change of a setting.
  init<Value: Sendable>(
    _ setting: any WritableKeyPath<LineSettings, Value> & Sendable, to value: Value
  ) {
    self.init { $0[keyPath: setting] = value }
  }

  func applied(to settings: LineSettings) -> LineSettings {
    updates.reduce(into: settings) { settings, update in update(&settings) }
  }

  /// Both changes in one.
  func and(_ other: SettingsChange) -> SettingsChange {
    var both = self
    both.updates += other.updates
    return both
  }
}

extension ArgumentKind where Value == SettingsChange {
  /// A baud rate: a usual one, or any number that is typed.
  fileprivate static let baudRate = ArgumentKind(
    expected: "a whole number from 1 to \(LineSettings.baudRates.upperBound)", isNumber: true,
    parse: { text in
      (try? LineSettings.baudRate(parsing: text)).map { SettingsChange(\.baudRate, to: $0) }
    },
    ask: { request, then in
      request.ask(
        Question(
          title: "baud rate",
          choices: { [model = request.model] typed in
            BaudRateChoices.choices(typed: typed, now: model.state.requestedSettings.baudRate)
          },
          onAnswer: { rate in
            if let rate { then(SettingsChange(\.baudRate, to: rate)) }
          }))
    })

  /// One of the values that a setting has.
  fileprivate static func setting<Setting>(
    _ title: String, _ setting: any WritableKeyPath<LineSettings, Setting> & Sendable
  ) -> ArgumentKind where Setting: CaseIterable & RawRepresentable & Hashable & Sendable {
    ArgumentKind<Setting>.oneOf(title, Setting.allCases.map { ("\($0.rawValue)", $0) }) {
      $0.requestedSettings[keyPath: setting]
    }.map { SettingsChange(setting, to: $0) }
  }
}
