import ArgumentParser
import Configuration
import SystemPackage

/// `serialterm profile`: what the configuration says, and additions to it.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "List, show and save profiles.",
    discussion: """
      A profile is a name for a device and how to talk to it: [profile.NAME] in the configuration, \
      $XDG_CONFIG_HOME/serialterm/config.toml or ~/.config/serialterm/config.toml. Its keys are \
      'target', 'match' and the long names of options.

      EXAMPLE:
        serialterm profile save board usb:0403:6001 --baud 9600 --local-echo
        serialterm board
      """,
    subcommands: [List.self, Show.self, Save.self, ImportTio.self])

  /// Which configuration is meant.
  struct FileOption: ParsableArguments {
    @Option(help: .init("The configuration to use.", valueName: "file"))
    var config: String?

    var path: FilePath? { config.map { FilePath($0) } }
  }
}

extension ProfileCommand {
  struct List: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the profiles there are.",
      discussion: """
        EXAMPLE:
          serialterm profile list --names
        """)

    @Flag(help: "Print one name a line, for scripts.")
    var names = false

    @OptionGroup var file: FileOption

    func execute() throws -> ExitStatus {
      let profiles = try ProfileFile(file.path).contents.profiles
      let lines =
        names
        ? profiles.map(\.name)
        : Table(
          header: ["NAME", "DEVICE", "SETTINGS"],
          rows: profiles.map { [$0.name, $0.target, $0.settings] }
        ).lines
      try StandardStream.output.print(lines.map { "\($0)\n" }.joined())
      return .done
    }
  }

  struct Show: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a profile as it stands in the configuration.",
      discussion: """
        EXAMPLE:
          serialterm profile show board
        """)

    @Argument(
      help: "The profile's name.", completion: .custom { _, _, _ in Target.profileNames })
    var name: String

    @OptionGroup var file: FileOption

    func execute() throws -> ExitStatus {
      let configuration = try ProfileFile(file.path)
      guard let profile = configuration.contents.profile(named: name) else {
        throw Failure(.usage, "there is no profile '\(name)'.")
      }
      let entries = profile.entries.map { (key: $0.key, value: $0.value) }
      try StandardStream.output.print(ConfigurationFile.text(profile: name, entries))
      return .done
    }
  }

  struct Save: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a profile to the configuration.",
      discussion: """
        What follows the name is what you would give to 'serialterm connect'. What the \
        configuration says already is left alone; a name that it has is refused.

        EXAMPLE:
          serialterm profile save board usb:0403:6001 --baud 9600 --local-echo
        """)

    @Argument(help: "The profile's name.")
    var name: String

    @Argument(
      parsing: .allUnrecognized, help: "The target and the options, as for 'serialterm connect'.")
    var words: [String] = []

    @OptionGroup var file: FileOption

    func execute() throws -> ExitStatus {
      if let complaint = ConfigurationFile.complaint(aboutName: name) {
        throw Failure(.usage, complaint)
      }
      // Refuses what the parser would refuse later, in its words. It does not know the words that
      // switch off what another part of the configuration switches on.
      _ = try ConnectCommand.parse(SwitchedOff(words).arguments)
      let arguments = try ArgumentEntries(words)
      let target = arguments.others.first.map { (key: "target", value: Value.string($0)) }
      let text = ConfigurationFile.text(
        profile: name, (target.map { [$0] } ?? []) + arguments.entries)
      guard let path = file.path ?? ProfileFile.standardPath else {
        throw Failure(.usage, "there is no place for a configuration: HOME is not set.")
      }
      let present = (try? path.stat()) == nil ? nil : try ProfileFile(path)
      if let there = present?.contents.profile(named: name) {
        throw Failure(.usage, "\(path):\(there.line): there is a profile '\(name)' already")
      }
      try ProfileFile.append(text, to: path)
      return .done
    }
  }
}

extension ConfigurationFile.Profile {
  /// Which device it is for, in a word.
  fileprivate var target: String {
    switch self["target"]?.value ?? self["match"]?.value {
    case .string(let text): text.harmless
    case let value?: "\(value)".harmless
    case nil: "-"
    }
  }

  /// What else it says, in a line.
  fileprivate var settings: String {
    entries.filter { $0.key != "target" && $0.key != "match" }
      .map { "\($0.key)=\($0.value)" }.joined(separator: " ").harmless
  }
}
