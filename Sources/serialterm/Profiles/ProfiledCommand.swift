/// A command that talks to a device, and takes what is not said on its command line from the
/// configuration.
protocol ProfiledCommand: Subcommand {
  /// Does the work.
  ///
  /// - Parameter late: what the configuration says once the device is known; nil where that is no
  ///   matter.
  /// - Throws: ``Failure`` for every end that needs words.
  func execute(_ late: LateProfile?) throws -> ExitStatus
  static var profiledName: ProfiledCommandName { get }
  /// When the configuration has been read, with the name of the profile that holds.
  var profileOptions: ProfileOptions { get set }
  /// Nil: none was named.
  var namedTarget: Target? { get set }
}
