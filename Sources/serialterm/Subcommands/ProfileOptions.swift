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

  /// The keys that the configuration sets for the command, also those that the command line cancels.
  var configuredKeys: [String] = []

  private enum CodingKeys: CodingKey { case config, profile }
}
