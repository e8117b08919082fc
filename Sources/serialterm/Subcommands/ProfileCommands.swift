import Configuration
import Options
import Sessions
import SystemPackage
import Terminal
import TextTools

/// `serialterm profile list`: lists the profiles.
struct ListProfilesCommand: Subcommand {
  private static let names = Parameter.flag("names", "Print only the names, one per line.")

  static let description = CommandDescription(
    "profile list", "List the profiles.", example: "serialterm profile list --names",
    sections: [ParameterSection("OPTIONS", [names, SessionParameters.config])])

  private let values: Values

  init(_ values: Values) { self.values = values }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let file = values[SessionParameters.config].map { FilePath($0) }
    let configuration = try ProfileFile(file)
    let profiles = configuration.contents.profiles
    guard !profiles.isEmpty || values[Self.names] else {
      let place = (configuration.path ?? ProfileFile.standardPath).map { " in \($0)" } ?? ""
      StandardStream.complain(
        "there is no profile\(place). 'serialterm profile save NAME TARGET' makes one.")
      return .done
    }
    let lines =
      values[Self.names]
      ? profiles.map(\.name)
      : Table(
        header: ["NAME", "DEVICE", "SETTINGS"],
        rows: profiles.map { [$0.name, $0.target ?? "-", $0.settings] }
      ).lines
    try StandardStream.output.print(lines.map { "\($0)\n" }.joined())
    return .done
  }
}

/// `serialterm profile show`: prints a profile.
struct ShowProfileCommand: Subcommand {
  private static let name = Parameter<String>.argument(
    "name", "The profile's name.", completion: Target.profileCompletion, standard: "",
    parse: { $0 })

  static let description = CommandDescription(
    "profile show", "Print a profile.", example: "serialterm profile show board",
    sections: [
      ParameterSection("ARGUMENTS", [name]),
      ParameterSection("OPTIONS", [SessionParameters.config]),
    ])

  private let values: Values

  init(_ values: Values) { self.values = values }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let name = values[Self.name]
    let configuration = try ProfileFile(values[SessionParameters.config].map { FilePath($0) })
    guard let profile = configuration.contents.profile(named: name) else {
      throw Failure(
        .usage, "there is no profile '\(name)'. \(ProfileChoice.way(toProfile: name))")
    }
    let entries = profile.entries.map { (key: $0.key, value: $0.value) }
    try StandardStream.output.print(ConfigurationFile.text(profile: name, entries))
    return .done
  }
}

/// `serialterm profile save`: adds a profile, given as the arguments of `connect`.
struct SaveProfileCommand: Subcommand {
  private static let name = Parameter<String>.argument(
    "name", "The profile's name.", standard: "", parse: { $0 })

  static let description = CommandDescription(
    "profile save", "Add a profile to the configuration.",
    """
    After the name, write the arguments of 'serialterm connect': see 'serialterm connect --help'. The \
    profile is appended to the configuration file; a name that exists is refused.
    """,
    example: "serialterm profile save board usb:0403:6001 --baud 9600 --local-echo",
    mostUsed: [
      LineParameters.baud, LineParameters.parity, LineParameters.flow, LogParameters.log,
      ViewParameters.timestamps, ViewParameters.hex, KeyboardParameters.localEcho,
      KeyboardParameters.lineEnding, ViewParameters.map, SessionParameters.config,
    ],
    sections: [ParameterSection("ARGUMENTS", [name, ConnectCommand.targets])]
      + ConnectCommand.description.sections.compactMap(\.configurable) + [
        ParameterSection("CONFIGURATION", [SessionParameters.config])
      ])

  static let canSwitchOff = true

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    _ = try ConnectCommand(values)
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let name = values[Self.name]
    if let complaint = ProfileFile.complaint(aboutNewName: name) {
      // The name of a command is a name, and no TARGET.
      let isSwapped =
        values[ConnectCommand.targets].count == 1 && (try? Target(parsing: name)) != nil
        && ConfigurationFile.complaint(aboutName: name) != nil
      let target = values.given["target"]?.first ?? ""
      let advice =
        isSwapped && ProfileFile.complaint(aboutNewName: target) == nil
        ? ". The name comes first: 'serialterm \(Self.description.name) \(target) \(name.shellWord)'."
        : "."
      throw Failure(.usage, complaint + advice)
    }
    let given = values.given.with("name", nil).with("config", nil)
    let changes = try ProfileEntries(given).entries.map { ProfileEdit.Change($0.key, $0.value) }
    let file = values[SessionParameters.config].map { FilePath($0) }
    guard let path = file ?? ProfileFile.standardPath else {
      throw Failure(.usage, ProfileFile.noFolder)
    }
    let present = try ProfileFile.present(at: path)
    if let there = try ProfileFile.contents(toChangeAt: path).profile(named: name) {
      throw Failure(.usage, "\(path):\(there.line): there is already a profile '\(name)'.")
    }
    let edit = try ProfileFile.edit(of: name, isNew: true, in: present, at: path, changes)
    try ProfileFile.replace(present, by: edit.document, at: path)
    let option = file.map { " --config \($0.string.shellWord)" } ?? ""
    StandardStream.complain(
      "the profile \(name) is in \(path); 'serialterm \(name)\(option)' uses it.")
    return .done
  }
}

extension ConfigurationFile.Profile {
  /// The device as text; nil if the profile names none.
  var target: String? {
    switch self["target"]?.value ?? self["match"]?.value {
    case .string(let text): text
    case let value?: "\(value)"
    case nil: nil
    }
  }

  /// The other entries in one line, for the table.
  fileprivate var settings: String {
    entries.filter { $0.key != "target" && $0.key != "match" }
      .map { entry in
        if case .table(let names) = entry.value { return "\(entry.key)=\(names.count)" }
        return "\(entry.key)=\(entry.value)"
      }.joined(separator: " ")
  }
}

extension ParameterSection {
  /// The section of the options that a profile can set; nil if it contains none.
  fileprivate var configurable: ParameterSection? {
    let configurable = declarations.filter(\.isConfigurable)
    return configurable.isEmpty ? nil : ParameterSection(title, configurable)
  }
}
