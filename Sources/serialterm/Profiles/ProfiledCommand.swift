import Options
import SessionKit

/// A command that talks to a device, and takes parameters that are not on its command line from the
/// configuration.
protocol ProfiledCommand: Subcommand {
  var values: Values { get }
  /// The TARGET, nil if none was given.
  var namedTarget: Target? { get set }
  /// What the configuration says.
  var profile: ProfileInUse { get set }
  /// Whether the command can have several targets.
  static var takesSeveralTargets: Bool { get }
}

extension ProfiledCommand {
  static var canSwitchOff: Bool { true }
  static var profiled: (any ProfiledCommand.Type)? { Self.self }
  static var takesSeveralTargets: Bool { false }
}

/// What the configuration says about a session.
struct ProfileInUse: Hashable {
  /// The name of the profile; nil without one.
  var name: String?
  /// The keys that the configuration sets, also those that the command line replaces or switches off.
  var keys: [String] = []
  /// The texts that the user can send by name.
  var snippets: [Snippet] = []
  /// The line sequences that the user can play by name.
  var sequences: [NamedSequence] = []
}
