/// A command that talks to a device, and takes what is not said on its command line from the
/// configuration.
protocol ProfiledCommand: Subcommand {
  static var profiledName: ProfiledCommandName { get }
  var profileOptions: ProfileOptions { get }
  /// Nil: none was named.
  var namedTarget: Target? { get set }
}
