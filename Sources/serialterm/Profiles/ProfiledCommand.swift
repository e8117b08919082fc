import SessionKit

/// A command that talks to a device, and takes options that are not on its command line from the
/// configuration.
protocol ProfiledCommand: Subcommand {
  static var profiledName: ProfiledCommandName { get }
  /// Its `profile` is set to the profile that applies once the configuration has been read.
  var profileOptions: ProfileOptions { get set }
  /// The TARGET, nil if none was given.
  var namedTarget: Target? { get set }
  /// Whether the command can have several targets.
  static var takesSeveralTargets: Bool { get }
  /// The TARGETs after the first.
  var moreTargets: [Target] { get }
}

extension ProfiledCommand {
  static var takesSeveralTargets: Bool { false }
  var moreTargets: [Target] { [] }
}
