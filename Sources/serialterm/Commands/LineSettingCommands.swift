import Options
import SerialCore
import Terminal
import TerminalWidgets

/// The commands that change the settings of the line.
extension Command {
  static let baudRate = setting(
    "B", LineParameters.baud, \.baudRate, or: ["speed", "baud rate", "bit rate", "bps"],
    argument: .baudRate, text: { "\($0)" })

  static let dataBits = choice(
    "D", LineParameters.dataBits, \.dataBits,
    or: ["bits", "word length", "character size", "7 bits", "8 bits"])

  static let parity = choice(
    "P", LineParameters.parity, \.parity, or: ["even", "odd", "mark parity", "space"])

  static let stopBits = choice(
    "S", LineParameters.stopBits, \.stopBits, or: ["two stop bits", "2 stop bits"])

  static let flowControl = choice(
    "F", LineParameters.flow, \.flowControl, title: "flow control",
    or: ["flow control", "handshake", "rts/cts", "crtscts", "xon/xoff"])

  /// The commands of line settings. Each can perform any change of settings.
  static let lineSettings = [baudRate, dataBits, parity, stopBits, flowControl]

  /// The command for a setting with one of a few values.
  private static func choice<Setting>(
    _ key: Character, _ option: Parameter<Setting>,
    _ setting: any WritableKeyPath<LineSettings, Setting> & Sendable, title: String? = nil,
    or synonyms: [String]
  ) -> CommandWithArgument<SettingsChange>
  where
    Setting: CaseIterable & RawRepresentable & Hashable & Sendable,
    Setting.RawValue: CustomStringConvertible
  {
    self.setting(
      key, option, setting, or: synonyms,
      argument: .choice(option, title) { $0.requestedSettings[keyPath: setting] },
      text: { $0.rawValue.description })
  }

  /// The command for the setting of an option.
  private static func setting<Setting>(
    _ key: Character, _ option: Parameter<Setting>,
    _ setting: any WritableKeyPath<LineSettings, Setting> & Sendable, or synonyms: [String],
    argument: ArgumentKind<Setting>, text: @escaping @Sendable (Setting) -> String
  ) -> CommandWithArgument<SettingsChange> {
    CommandWithArgument(
      key, option.name, option.inSession, or: synonyms, users: .everyone,
      needs: [.changing, .openPort, .pen, .settings],
      value: { text($0.requestedSettings[keyPath: setting]) },
      argument: argument.map { SettingsChange(setting, to: $0) }
    ) { change, call in
      let present = call.state.requestedSettings
      // A program may want to restore a setting that another program has changed.
      if call.isFromUser && change.applied(to: present) == present {
        return call.answer(.done("No change: \(present)."))
      }
      call.port.lineCommands.perform(change, then: call.answer)
    }
  }
}

extension SessionSetting {
  static let line = [
    ofSession(LineParameters.baud) { "\($0.requestedSettings.baudRate)" },
    ofSession(LineParameters.dataBits) { "\($0.requestedSettings.dataBits.rawValue)" },
    ofSession(LineParameters.parity) { $0.requestedSettings.parity.rawValue },
    ofSession(LineParameters.stopBits) { "\($0.requestedSettings.stopBits.rawValue)" },
    ofSession(LineParameters.flow) { $0.requestedSettings.flowControl.rawValue },
  ]
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

  /// Combines two changes.
  func and(_ other: SettingsChange) -> SettingsChange {
    var both = self
    both.updates += other.updates
    return both
  }
}

extension ArgumentKind<UInt32> {
  /// A baud rate: one of the usual rates, or any typed number.
  fileprivate static let baudRate = ArgumentKind(
    ArgumentForm(
      LineParameters.baud.declaration.expected, value: { "\($0.requestedSettings.baudRate)" }
    ).with {
      ($0.kind, $0.unit) = (.number, "Bd")
      let usual = BaudRateChoices.usual.map { "\($0)" }
      $0.choices = { _ in usual }
    },
    parse: { try? LineParameters.baud.value(of: $0) },
    ask: { request, then in
      request.ask(
        Question(
          title: "baud rate",
          choices: { [model = request.model] typed in
            BaudRateChoices.choices(typed: typed, now: model.state.requestedSettings.baudRate)
          },
          onAnswer: { rate in
            if let rate { then(rate) }
          }))
    })
}

/// The choice of a baud rate: the usual rates, or any typed number.
enum BaudRateChoices {
  static let usual: [UInt32] = [
    115_200, 9_600, 300, 600, 1_200, 2_400, 4_800, 19_200, 38_400, 57_600, 230_400, 250_000,
    460_800, 500_000, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000, 4_000_000,
  ]

  /// The rates, with the present one marked. If the typed text is not a rate, it becomes a choice
  /// without a value.
  static func choices(typed: String, now: UInt32) -> [Choice<UInt32?>] {
    let rates = usual.contains(now) ? usual : [now] + usual
    let listed = rates.map { Choice<UInt32?>($0, "\($0)", isCurrent: $0 == now) }
    guard !typed.isEmpty, !rates.contains(where: { "\($0)" == typed }) else { return listed }
    do throws(LineSettings.ParsingError) {
      let rate = try LineSettings.baudRate(parsing: typed)
      return [Choice<UInt32?>(id: rate, title: typed, detail: "if the driver accepts it")] + listed
    } catch {
      return listed + [Choice(id: nil, title: typed, refusal: "\(error)")]
    }
  }
}
