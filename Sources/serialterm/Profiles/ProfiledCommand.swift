/// A command that talks to a device, and takes options that are not on its command line from the
/// configuration.
protocol ProfiledCommand: Subcommand {
  /// Runs the command.
  ///
  /// - Parameter late: Completes the command when the device is known; nil if the profile is decided.
  /// - Throws: ``Failure`` for every end that needs a message.
  func execute(_ late: LateProfile?) throws -> ExitStatus
  static var profiledName: ProfiledCommandName { get }
  /// Its `profile` is set to the profile that applies once the configuration has been read.
  var profileOptions: ProfileOptions { get set }
  /// The TARGET, nil if none was given.
  var namedTarget: Target? { get set }
}
