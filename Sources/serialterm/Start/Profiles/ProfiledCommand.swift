import Options
import Sessions

/// A command for a device that takes parameters from the configuration if they are not on
/// its command line.
protocol ProfiledCommand: Subcommand {
  var values: Values { get }
  /// The TARGET; nil if none was given.
  var namedTarget: Target? { get set }
  /// The part of the configuration that applies.
  var profile: ProfileInUse { get set }
  /// Whether the command can have several targets.
  static var takesSeveralTargets: Bool { get }
  /// The TARGETs of a command line, or those that it takes from the configuration.
  ///
  /// - Throws: `UsageError`, ``Failure``.
  static func targets(of given: Given, in file: ProfileFile) throws -> [String]
}

extension ProfiledCommand {
  static var canSwitchOff: Bool { true }
  static func profiled(for given: Given) -> (any ProfiledCommand.Type)? { Self.self }
  static var takesSeveralTargets: Bool { false }
  static func targets(of given: Given, in file: ProfileFile) -> [String] { given["target"] ?? [] }

  /// The configuration of a session at the target with all parameters of sessions.
  ///
  /// - Parameter waits: whether the session waits for an absent device; nil for what `--wait` says.
  func session(reconnects: Bool, waits: Bool? = nil) -> SessionConfiguration {
    SessionConfiguration(
      target: namedTarget, settings: values.lineSettings, linkOptions: values.linkOptions,
      onOpen: values[LineParameters.onOpen], reconnects: reconnects,
      waitsForAbsentDevice: waits ?? values[SessionParameters.wait], pacing: values.pacing,
      log: values.logConfiguration, isQuiet: values[SessionParameters.quiet]
    ).of(profile)
  }
}

/// The configuration that applies to a session, besides parameters.
struct ProfileInUse: Hashable {
  /// The name of the profile; nil without one.
  var name: String?
  /// The keys that the configuration sets, including those that the command line replaces
  /// or switches off.
  var keys: [String] = []
  /// The texts that the user can send by name.
  var snippets: [Snippet] = []
  /// The line sequences that the user can play by name.
  var sequences: [NamedSequence] = []
}

extension SessionConfiguration {
  /// The configuration of a session with a profile, whose name those who join get.
  func of(_ profile: ProfileInUse) -> Self {
    var configuration = self
    configuration.profile = profile.name ?? ""
    return configuration
  }
}
