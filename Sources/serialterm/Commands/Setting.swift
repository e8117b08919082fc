import Observing
import Options
import SerialCore
import Terminal

/// A setting of a session, declared once: the option, the part of the state that it sets, and the
/// commands that change it.
///
/// The options are applied when a session starts and when the profile of its device becomes known;
/// `copy-settings` and `save-profile` write them.
struct Setting<Value: Sendable>: SessionSetting {
  typealias LinePart = any WritableKeyPath<LineSettings, Value> & Sendable

  let option: Parameter<Value>
  let shared: SharedPart?
  /// The part of the line's settings that it is; nil for other settings.
  private let linePart: LinePart?
  private let change: @Sendable () -> [Command]
  private let text: @Sendable (TerminalState) -> [String]?
  private let adoption: (@Sendable (Value, inout TerminalState) -> Void)?

  /// Creates a setting.
  ///
  /// - Parameters:
  ///   - shared: the part of the state, if the ports of the program share it.
  ///   - linePart: the part of the line's settings that it is; nil for other settings.
  ///   - commands: the commands that change it. A program that only reads its options makes none.
  ///   - texts: see ``SessionSetting/texts(of:)``.
  ///   - adopt: applies the option; nil if ``Port/adopt(_:)`` does.
  init(
    _ option: Parameter<Value>, shared: SharedPart? = nil, line linePart: LinePart? = nil,
    changedBy commands: @autoclosure @escaping @Sendable () -> [Command],
    texts: @escaping @Sendable (TerminalState) -> [String]?,
    adopt: (@Sendable (Value, inout TerminalState) -> Void)?
  ) {
    (self.option, self.shared, self.linePart, change) = (option, shared, linePart, commands)
    (text, adoption) = (texts, adopt)
  }

  /// An option that ``Sessions/SessionConfiguration`` contains, because sessions without a user
  /// have it too. ``Port/adopt(_:)`` applies it.
  static func ofSession(
    _ option: Parameter<Value>, line linePart: LinePart? = nil,
    changedBy command: @autoclosure @escaping @Sendable () -> Command,
    text: @escaping @Sendable (TerminalState) -> String
  ) -> Setting {
    Setting(
      option, line: linePart, changedBy: [command()], texts: { [text($0)] }, adopt: nil)
  }

  var commands: [Command] { change() }

  /// The command that changes the setting, or the first of them.
  var command: Command { commands[0] }

  var declaration: Declaration { option.declaration }
  var isOfSession: Bool { adoption == nil }

  func texts(of state: TerminalState) -> [String]? { text(state) }

  func adopt(_ values: Values, into state: inout TerminalState) {
    adoption?(values[option], &state)
  }

  func lineChange(to values: Values) -> SettingsChange? {
    linePart.map { SettingsChange($0, to: values[option]) }
  }
}

extension Setting<Bool> {
  /// A flag, and a command that switches the part of the state on or off for a user.
  ///
  /// - Parameters:
  ///   - key: the key of the command after the prefix; nil for none.
  ///   - name: the name of the command; nil for that of the option.
  ///   - summary: the description of the command; see ``Command/summary``.
  ///   - condition: the conditions without which the part stays off.
  ///   - isShared: whether the ports of the program share the setting.
  ///   - react: what else the command does, with the new value.
  static func flag(
    _ option: Parameter<Bool>, _ part: any WritableKeyPath<TerminalState, Bool> & Sendable,
    key: Character? = nil, named name: String? = nil, _ summary: String, or synonyms: [String],
    needs: [Need],
    onlyIf condition: [Need] = [], isShared: Bool = false,
    then react: @escaping @Sendable (CommandCall, Bool) -> Void = { _, _ in }
  ) -> Setting {
    Setting(
      option, shared: isShared ? SharedPart(part) : nil,
      changedBy: [
        .toggle(key, name ?? option.name, summary, or: synonyms, needs: needs, part, then: react)
      ],
      texts: { ["\($0[keyPath: part])"] },
      adopt: { value, state in
        state[keyPath: part] = value && condition.unmet(in: state) == nil
      })
  }
}

extension Setting {
  /// An option with a value, and a command that asks a person for another one.
  ///
  /// - Parameters:
  ///   - summary: the description of the command; see ``Command/summary``.
  ///   - shown: the value of the setting in lists; nil for none.
  ///   - texts: see ``SessionSetting/texts(of:)``.
  ///   - answer: the answer to a change.
  static func value(
    _ option: Parameter<Value>, _ part: any WritableKeyPath<TerminalState, Value> & Sendable,
    _ summary: String, or synonyms: [String], needs: [Need],
    argument: @autoclosure @escaping @Sendable () -> ArgumentKind<Value>,
    shown: @escaping @Sendable (Value) -> String?,
    texts: @escaping @Sendable (Value) -> [String], answer: @escaping @Sendable (Value) -> String
  ) -> Setting {
    Setting(
      option,
      changedBy: [
        CommandWithArgument(
          nil, option.name, summary, or: synonyms, users: [.person], needs: needs,
          value: { shown($0[keyPath: part]) }, argument: argument()
        ) { value, call in
          call.port.model.update { $0[keyPath: part] = value }
          call.answer(.done(answer(value)))
        }.command
      ], texts: { texts($0[keyPath: part]) },
      adopt: { value, state in state[keyPath: part] = value })
  }

  /// An option that can have no value, and a command that asks a person for another one.
  ///
  /// - Parameter none: what lists show without a value.
  static func optional<Wrapped>(
    _ option: Parameter<Value>, _ part: any WritableKeyPath<TerminalState, Value> & Sendable,
    _ summary: String, or synonyms: [String], needs: [Need],
    argument: @autoclosure @escaping @Sendable () -> ArgumentKind<Value>,
    none: String? = nil,
    text: @escaping @Sendable (Wrapped) -> String, answer: @escaping @Sendable (Value) -> String
  ) -> Setting where Value == Wrapped? {
    value(
      option, part, summary, or: synonyms, needs: needs, argument: argument(),
      shown: { $0.map(text) ?? none }, texts: { $0.map { [text($0)] } ?? [] }, answer: answer)
  }
}

extension Setting
where
  Value: CaseIterable & RawRepresentable & Hashable, Value.RawValue == String
{
  /// An option with one of a few values, and a command that asks a person for another one.
  static func choice(
    _ option: Parameter<Value>, _ part: any WritableKeyPath<TerminalState, Value> & Sendable,
    _ summary: String, or synonyms: [String], needs: [Need],
    answer: @escaping @Sendable (Value) -> String
  ) -> Setting {
    value(
      option, part, summary, or: synonyms, needs: needs,
      argument: .choice(option) { $0[keyPath: part] }, shown: { $0.rawValue },
      texts: { [$0.rawValue] }, answer: answer)
  }
}

/// A ``Setting`` with a value of any type.
protocol SessionSetting: Declared {
  /// The commands that change it, in the order in which they are listed.
  var commands: [Command] { get }

  /// The part of the state that the ports of the program share; nil if each port has its own.
  var shared: SharedPart? { get }

  /// Whether ``Port/adopt(_:)`` applies the option.
  var isOfSession: Bool { get }

  /// The texts that give the option its value in a state; empty if it has no value; nil for a
  /// value that only the option can give.
  func texts(of state: TerminalState) -> [String]?

  /// Applies the value of the option to a state.
  func adopt(_ values: Values, into state: inout TerminalState)

  /// The change of the line to the value of the option; nil for a setting of something else.
  func lineChange(to values: Values) -> SettingsChange?
}

extension SessionSetting {
  /// The texts of the option's default value.
  var standardTexts: [String] { texts(of: TerminalState()) ?? [] }

  /// Other texts of the option, in the form in which a session writes the same value.
  func canonical(_ other: [String]) -> [String] {
    // Wrong texts of a file stay as they are.
    guard !isOfSession, let values = try? Values(Given().with(name, other), of: [declaration])
    else { return other }
    var state = TerminalState()
    adopt(values, into: &state)
    return texts(of: state) ?? other
  }
}

/// A part of the state that the ports of the program share.
struct SharedPart: Sendable {
  /// Whether a change of the state changes the part.
  let isChanged: @Sendable (Change<TerminalState>) -> Bool
  /// Copies the part from one state to another.
  let copy: @Sendable (TerminalState, inout TerminalState) -> Void

  init<Value: Equatable & SendableMetatype>(
    _ part: any WritableKeyPath<TerminalState, Value> & Sendable
  ) {
    isChanged = { $0.old[keyPath: part] != $0.new[keyPath: part] }
    copy = { $1[keyPath: part] = $0[keyPath: part] }
  }
}

extension [any Declared] {
  /// The settings among the parameters.
  var settings: [any SessionSetting] { compactMap { $0 as? any SessionSetting } }

  /// The commands that change the settings among the parameters.
  var commands: [Command] { settings.flatMap(\.commands) }
}

/// The settings of sessions.
enum SessionSettings {
  /// All of them, in the order in which `copy-settings` writes them.
  static let all =
    (LineParameters.all + [ConnectCommand.reconnect, LogParameters.share] + KeyboardParameters.all
    + ViewParameters.all).settings

  /// The parts of the state that the ports of the program share.
  static let sharedParts = all.compactMap(\.shared)
}

extension Values {
  /// The value of a setting's option.
  subscript<Value>(setting: Setting<Value>) -> Value { self[setting.option] }
}

extension TerminalState {
  /// Applies the options of an interactive session, at its start and when the profile of its
  /// device becomes known.
  mutating func adopt(_ values: Values) {
    view = values.viewSettings
    for setting in SessionSettings.all { setting.adopt(values, into: &self) }
  }
}
