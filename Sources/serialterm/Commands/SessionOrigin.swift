import Options
import SessionKit
import SystemPackage

/// Where the settings of a session come from, for saving them.
struct SessionOrigin: Hashable {
  /// The configuration file that was named; nil for the one at its standard place.
  var file: FilePath?
  /// The profile that applies; nil for none.
  var profile: String?
  /// The device as the user has named it.
  var target: Target?
  /// What the command line and the configuration say.
  var given = Given()
}
