import Options
import Sessions
import SystemPackage

/// The source of a session's settings, for saving them.
struct SessionOrigin: Hashable {
  /// The configuration file that the user named; nil for the default one.
  var file: FilePath?
  /// The profile that applies; nil for none.
  var profile: String?
  /// The device, as the user named it.
  var target: Target?
  /// The values that the command line and the configuration contain.
  var given = Given()
}
