import Options
import Patterns

/// An event that the user is alerted to, and the action that follows.
struct AlertRule: Sendable {
  /// The event.
  enum Trigger: Hashable, Sendable {
    /// A line from the device matches.
    case match(Pattern)
    /// The device is disconnected.
    case disconnect
  }

  /// The action.
  enum Action: Hashable, Sendable {
    /// The bell of the user's terminal.
    case bell
    /// A shell command.
    case command(String)

    init(_ text: String) { self = text == "bell" ? .bell : .command(text) }
  }

  let trigger: Trigger
  let action: Action

  /// The rule in the form of the options, for messages.
  var name: String {
    switch trigger {
    case .match(let pattern): "--on-match \(pattern.text)"
    case .disconnect: "--on-disconnect"
    }
  }
}

/// The options of alerts.
enum AlertParameters {
  static let onMatch = Parameter<[AlertRule]>.pairs(
    "on-match", "REGEX COMMAND",
    "Run a shell command when a line of the device matches, or ring the terminal's bell: bell. Can be "
      + "repeated.",
    details: "The line is in the command's environment only: SERIALTERM_LINE.",
    second: .command,
    parse: { regex, command in
      guard !regex.isEmpty else { throw ValueError(regex, expected: "a regular expression") }
      return AlertRule(
        trigger: .match(try Pattern(parsing: regex)), action: try action(command))
    })

  static let onDisconnect = Parameter<[AlertRule]>.list(
    "on-disconnect", "COMMAND",
    "Run a shell command when the device is gone, or ring the terminal's bell: bell. Can be repeated.",
    isConfigurable: false, completion: .command,
    parse: { AlertRule(trigger: .disconnect, action: try action($0)) })

  static let section = ParameterSection("ALERTS", [onMatch, onDisconnect])

  private static func action(_ text: String) throws(ValueError) -> AlertRule.Action {
    guard !text.isEmpty else { throw ValueError(text, expected: "a shell command, or bell") }
    return AlertRule.Action(text)
  }
}

extension Values {
  /// The alerts of the command line.
  var alerts: [AlertRule] { self[AlertParameters.onMatch] + self[AlertParameters.onDisconnect] }
}
