import Options
import Sessions

/// The parameters that several commands for a device share.
enum SessionParameters {
  /// The explanation of a TARGET in help: what the user's device is called, and what
  /// needs no device.
  static let targetSummary =
    "The device, such as ttyUSB0: 'serialterm list' shows yours; loopback:board is a simulated one. "
    + "Other forms: 'serialterm help targets'."

  /// The explanation of a TARGET that must be a device of this computer.
  static let deviceSummary =
    "The device, such as ttyUSB0: 'serialterm list' shows yours. Other forms: 'serialterm help targets'."

  /// The TARGET of a command that needs a device.
  static let target = Parameter<Target>.argument(
    "target", targetSummary, completion: Target.completion,
    standard: .device(.latest), parse: { try Target(parsing: $0) })

  /// The TARGET as plain text, for a command that can do without a device or interprets
  /// the text itself.
  static let targetText = Parameter<String>.argument(
    "target", deviceSummary, completion: Target.completion,
    standard: "", parse: Target.checked)

  static let wait = Parameter.flag("wait", "Wait for a device that is missing or in use.")

  static let exclusive = Parameter<Bool>.pair(
    "exclusive", off: "shared",
    "Lock the port, or not. If two programs read from one port, each misses a part of the data.")

  static let quiet = Parameter.flag("quiet", letter: "q", "Print only failures.")

  static let config = Parameter<String?>.option(
    "config", "FILE", "The configuration file, in place of ~/.config/serialterm/config.toml.",
    isConfigurable: false, completion: .files,
    parse: { $0 })

  static let profile = Parameter<String?>.option(
    "profile", "NAME", "The profile to use, for any device.", isConfigurable: false,
    completion: Target.profileCompletion, parse: { $0 })

  /// The parameters that choose the configuration and the profile.
  static let configuration = ParameterSection("CONFIGURATION", [config, profile])

  /// The parameters that the commands without a user share: `send` and `run`.
  static let headless = [
    ParameterSection("CONNECTION", [wait, exclusive, quiet]), LineParameters.section,
    PacingParameters.section, LogParameters.section, configuration,
  ]
}

extension Target {
  /// Checks that a text is a TARGET, and returns it.
  ///
  /// - Throws: ``Failure`` if it is malformed.
  @Sendable static func checked(_ text: String) throws(Failure) -> String {
    _ = try Target(parsing: text)
    return text
  }
}

extension Values {
  /// Checks the parameters of a session at a device: those of the line, of pacing and of the logs.
  ///
  /// - Throws: `UsageError`.
  func checkSession() throws(UsageError) {
    try checkLocking()
    try checkPacing()
    try checkLogs()
  }
}
