import ArgumentParser

/// Where what is not said on the command line comes from.
struct ProfileOptions: ParsableArguments {
  @Option(help: .init("The configuration to use.", valueName: "file"), completion: .file())
  var config: String?

  @Option(
    help: .init("The profile to use, whatever the device.", valueName: "name"),
    completion: .custom { _, _, _ in Target.profileNames })
  var profile: String?
}
