import ArgumentParser
import SessionKit

/// The options that select the configuration and the profile.
struct ProfileOptions: ParsableArguments {
  @Option(help: .init("The configuration file.", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: .init("The profile to use, for any device.", valueName: "name"),
    completion: .custom { _, _, _ in Target.profileNames })
  var profile: String?
}
