import ArgumentParser
import Configuration
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// `serialterm profile`: shows and extends the configuration.
struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "List, show, save and import profiles.",
    discussion: """
      A profile is a named set of options for a device: the table [profile.NAME] in \
      $XDG_CONFIG_HOME/serialterm/config.toml or ~/.config/serialterm/config.toml. Its keys are \
      'target', 'match' and the long names of options. Use its name as the TARGET.

      EXAMPLE:
        serialterm profile save board usb:0403:6001 --baud 9600 --local-echo
        serialterm board
      """,
    subcommands: [List.self, Show.self, Save.self, ImportTio.self])

  /// The option that selects the configuration file.
  struct FileOption: ParsableArguments {
    @Option(help: .init("The configuration file.", valueName: "file"))
    var config: String?

    var path: FilePath? { config.map { FilePath($0) } }
  }
}

extension ProfileCommand {
  struct List: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "List the profiles.",
      discussion: """
        EXAMPLE:
          serialterm profile list --names
        """)

    @Flag(help: "Print only the names, one per line.")
    var names = false

    @OptionGroup var file: FileOption

    func execute(in context: CommandContext) throws -> ExitStatus {
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
      abstract: "Print a profile.",
      discussion: """
        EXAMPLE:
          serialterm profile show board
        """)

    @Argument(
      help: "The profile's name.", completion: .custom { _, _, _ in Target.profileNames })
    var name: String

    @OptionGroup var file: FileOption

    func execute(in context: CommandContext) throws -> ExitStatus {
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
        After the name, write the arguments of 'serialterm connect'. The profile is appended to the \
        configuration file; a name that exists is refused.

        EXAMPLE:
          serialterm profile save board usb:0403:6001 --baud 9600 --local-echo
        """)

    @Argument(help: "The profile's name.")
    var name: String

    @Argument(
      parsing: .allUnrecognized, help: "The TARGET and options of 'serialterm connect'.")
    var words: [String] = []

    @OptionGroup var file: FileOption

    func execute(in context: CommandContext) throws -> ExitStatus {
      if let complaint = ConfigurationFile.complaint(aboutName: name) {
        throw Failure(.usage, complaint)
      }
      // The parser's own errors, before anything is saved. It does not know --no-NAME.
      _ = try ConnectCommand.parse(SwitchedOff(words).arguments)
      let arguments = try ArgumentEntries(words)
      let target = arguments.others.first.map { (key: "target", value: Value.string($0)) }
      let text = ConfigurationFile.text(
        profile: name, (target.map { [$0] } ?? []) + arguments.entries)
      guard let path = file.path ?? ProfileFile.standardPath else {
        throw Failure(.usage, "there is no folder for the configuration: HOME is not set.")
      }
      let present = (try? path.stat()) == nil ? nil : try ProfileFile(path)
      if let there = present?.contents.profile(named: name) {
        throw Failure(.usage, "\(path):\(there.line): there is already a profile '\(name)'.")
      }
      try ProfileFile.append(text, to: path)
      return .done
    }
  }
}

extension ConfigurationFile.Profile {
  /// The device, for the table.
  fileprivate var target: String {
    switch self["target"]?.value ?? self["match"]?.value {
    case .string(let text): text
    case let value?: "\(value)"
    case nil: "-"
    }
  }

  /// The other entries on one line, for the table.
  fileprivate var settings: String {
    entries.filter { $0.key != "target" && $0.key != "match" }
      .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
  }
}
