import Observing
import Options
import Terminal

/// An option of a session that a command can switch, with both directions: from the option to the
/// state of the session, and from the state back to the texts of the option.
///
/// Each is a row of a list beside the commands that switch it; ``all`` has the lists of all files.
/// The rows apply the options when a session starts and when the profile of its device becomes
/// known, and `copy-settings` and `save-profile` write the options with them.
struct SessionSetting: Sendable {
  let option: Declaration
  private let text: @Sendable (TerminalState) -> [String]?
  private let adoption: (@Sendable (Values, inout TerminalState) -> Void)?
  /// The part of the state that the ports of the program share; nil if each port has its own.
  let shared: SharedPart?

  /// Creates a setting.
  ///
  /// - Parameters:
  ///   - shared: the part of the state, if the ports of the program share it.
  ///   - texts: see ``texts(of:)``.
  ///   - adopt: see ``adopt(_:into:)``; nil if another object applies the option.
  init(
    _ option: any Declared, shared: SharedPart? = nil,
    texts: @escaping @Sendable (TerminalState) -> [String]?,
    adopt: (@Sendable (Values, inout TerminalState) -> Void)?
  ) {
    self.option = option.declaration
    self.shared = shared
    text = texts
    adoption = adopt
  }

  /// A flag that switches a part of the state.
  ///
  /// - Parameters:
  ///   - needs: the conditions without which the part stays off.
  ///   - isShared: whether the ports of the program share the setting.
  static func flag(
    _ option: Parameter<Bool>, _ part: any WritableKeyPath<TerminalState, Bool> & Sendable,
    needs: [Need] = [], isShared: Bool = false
  ) -> SessionSetting {
    SessionSetting(
      option, shared: isShared ? SharedPart(part) : nil,
      texts: { ["\($0[keyPath: part])"] },
      adopt: { values, state in
        state[keyPath: part] = values[option] && needs.unmet(in: state) == nil
      })
  }

  /// An option with one of a few values.
  static func choice<Value: RawRepresentable & Equatable>(
    _ option: Parameter<Value>, _ part: any WritableKeyPath<TerminalState, Value> & Sendable,
    isShared: Bool = false
  ) -> SessionSetting where Value.RawValue: LosslessStringConvertible {
    SessionSetting(
      option, shared: isShared ? SharedPart(part) : nil,
      texts: { ["\($0[keyPath: part].rawValue)"] },
      adopt: { values, state in state[keyPath: part] = values[option] })
  }

  /// An option that ``Sessions/SessionConfiguration`` contains, because sessions without a user
  /// have it too. ``Port/adopt(_:)`` applies it.
  static func ofSession(
    _ option: any Declared, text: @escaping @Sendable (TerminalState) -> String
  ) -> SessionSetting {
    SessionSetting(option, texts: { [text($0)] }, adopt: nil)
  }

  /// The texts that give the option its value in a state; empty if it has no value; nil for a
  /// value that only the option can give.
  func texts(of state: TerminalState) -> [String]? { text(state) }

  /// Whether ``Port/adopt(_:)`` applies the option.
  var isOfSession: Bool { adoption == nil }

  /// The texts of the option's default value.
  var standardTexts: [String] { text(TerminalState()) ?? [] }

  /// Applies the value of the option to a state.
  func adopt(_ values: Values, into state: inout TerminalState) { adoption?(values, &state) }

  /// Other texts of the option, in the form in which a session writes the same value.
  func canonical(_ texts: [String]) -> [String] {
    // Wrong texts of a file stay as they are.
    guard let adoption,
      let values = try? Values(Given().with(option.name, texts), of: [option])
    else { return texts }
    var state = TerminalState()
    adoption(values, &state)
    return text(state) ?? texts
  }
}

extension SessionSetting {
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

  /// The settings of all commands, in the order in which `copy-settings` writes them.
  static let all: [SessionSetting] = [line, port, keyboard, view, map, screen].flatMap(\.self)

  /// The parts of the state that the ports of the program share.
  static let sharedParts = all.compactMap(\.shared)
}

extension TerminalState {
  /// Applies the options of an interactive session, at its start and when the profile of its
  /// device becomes known.
  mutating func adopt(_ values: Values) {
    view = values.viewSettings
    for setting in SessionSetting.all { setting.adopt(values, into: &self) }
  }
}
