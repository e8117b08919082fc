import Options
import SerialCore
import Terminal
import TerminalWidgets

extension Setting {
  /// A setting of the line with one of a few values.
  static func ofLine(
    _ option: Parameter<Value>, _ part: LinePart, key: Character, _ summary: String,
    titled title: String? = nil, or synonyms: [String]
  ) -> Setting
  where
    Value: CaseIterable & RawRepresentable & Hashable, Value.RawValue: CustomStringConvertible
  {
    ofLine(
      option, part, key: key, summary, or: synonyms,
      argument: { option in
        .choice(option, title) { $0.requestedSettings[keyPath: part] }
      },
      text: { $0.rawValue.description })
  }

  /// A setting of the line, and the command that requests it from the driver.
  static func ofLine(
    _ option: Parameter<Value>, _ part: LinePart, key: Character, _ summary: String,
    or synonyms: [String],
    argument: @escaping @Sendable (Parameter<Value>) -> ArgumentKind<Value>,
    text: @escaping @Sendable (Value) -> String
  ) -> Setting {
    .ofSession(
      option, line: part,
      changedBy: CommandWithArgument(
        key, option.name, summary, or: synonyms, users: .everyone,
        needs: SettingsChange.needs, value: { text($0.requestedSettings[keyPath: part]) },
        argument: argument(option)
      ) { SettingsChange(part, to: $0).perform($1) }.command,
      text: { text($0.requestedSettings[keyPath: part]) })
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

  /// The conditions of a change.
  static let needs: [Need] = [.changing, .openPort, .pen, .settings]

  /// Requests the change from the driver if that is possible, and answers the call.
  func perform(_ call: CommandCall) {
    call.when(Self.needs) {
      let present = call.state.requestedSettings
      // A program may want to restore a setting that another program has changed.
      if call.isFromUser && applied(to: present) == present {
        return call.answer(.done("No change: \(present)."))
      }
      call.port.lineCommands.perform(self, then: call.answer)
    }
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
  static func baudRate(_ option: Parameter<UInt32>) -> ArgumentKind {
    ArgumentKind(
      ArgumentForm(
        option.declaration.expected, value: { "\($0.requestedSettings.baudRate)" }
      ).with {
        ($0.kind, $0.unit) = (.number, "Bd")
        let usual = BaudRateChoices.usual.map { "\($0)" }
        $0.choices = { _ in usual }
      },
      parse: { try? option.value(of: $0) },
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
