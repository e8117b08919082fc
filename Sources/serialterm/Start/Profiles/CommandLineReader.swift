import Configuration
import DeviceWatch
import Options
import SerialCore
import Sessions
import SystemPackage

/// Makes a command from its command line and from the configuration for its device.
///
/// The command line has precedence: its parameters replace those of the configuration.
struct CommandLineReader {
  private let devices: () -> [Device]?

  /// Creates a reader.
  ///
  /// - Parameter devices: lists the devices; returns nil if udev is not available.
  init(devices: @escaping () -> [Device]?) { self.devices = devices }

  /// A command, with the closures that complete it later.
  struct Reading {
    let command: any ProfiledCommand
    /// The configuration; nil for an additional TARGET.
    var file: ProfileFile?
    /// Completes the command again when its device is known; nil if the profile is already certain.
    var deviceProfile: DeviceProfile?
    /// The command for each additional TARGET, with the profile for that.
    var others: [Reading] = []
    /// Returns the command for an additional device, with the profile for that, instead of
    /// its own TARGETs.
    var additional: ((Endpoint) throws -> any ProfiledCommand)?
    /// Returns the command for a port whose session has the profile with a name, or none, if the
    /// name is empty. Nil if the command line names a profile, and if there is none with the name.
    var ofProfile: ((_ name: String) throws -> (any ProfiledCommand)?)?
  }

  /// Reads a command.
  ///
  /// - Throws: `UsageError` for the command line, ``Failure`` for the configuration.
  func read<Command: ProfiledCommand>(_: Command.Type, _ given: Given) throws -> Reading {
    // Mistakes on the command line are reported before the configuration is read, except for what
    // depends on the protocol of files, which a profile may name: `receive --name` and
    // `send --file --progress`.
    let line = try ProfiledLine<Command>(given)
    let file = try ProfileFile(given["config"]?.last.map { FilePath($0) })
    let targets = try Command.targets(of: given, in: file)
    var reading: Reading
    if targets.count > 1 {
      var readings = try targets.map { try read(line.at([$0]), $0, from: file) }
      reading = readings.removeFirst()
      reading.others += readings.flatMap { [$0] + $0.others }
    } else {
      reading = try read(line, targets.first, named: line.bare.namedTarget, from: file)
    }
    reading.file = file
    var additional = line
    additional.mustFitTarget = false
    reading.additional = { [additional] endpoint in
      try read(additional.at(nil), nil, named: .endpoint(endpoint), from: file).command
    }
    reading.ofProfile = { [additional] name in
      guard given["profile"] == nil, let choice = ProfileChoice(named: name, in: file) else {
        return nil
      }
      return try additional.at(nil).command(choice, from: file)
    }
    return reading
  }

  /// Reads the command with the profile of one device.
  ///
  /// - Parameters:
  ///   - text: the TARGET as the user gave it; nil for none.
  ///   - target: the TARGET; nil to parse `text`.
  private func read<Command: ProfiledCommand>(
    _ line: ProfiledLine<Command>, _ text: String?, named target: Target? = nil,
    from file: ProfileFile
  ) throws -> Reading {
    let choice = try ProfileChoice(
      profile: line.given["profile"]?.last, target: target ?? text.map { try Target(parsing: $0) },
      isName: { $0 == text }, file: file, devices: devices)
    let command = try line.command(choice, from: file)
    if !choice.moreTargets.isEmpty && !Command.takesSeveralTargets {
      throw Failure(
        .usage, "the profile '\(choice.profile ?? "")' has several targets: name one of them.")
    }
    let profile = DeviceProfile { device in
      try line.command(choice.knowing(device, in: file), from: file)
    }
    return Reading(
      command: command, deviceProfile: choice.dependsOnDevice ? profile : nil,
      others: try choice.moreTargets.map { target in
        var other = choice
        other.target = target
        return Reading(command: try line.command(other, from: file))
      })
  }
}

/// The parameters of a command line, from which a command with any profile can be made.
private struct ProfiledLine<Command: ProfiledCommand> {
  /// The name of the parameter that is the TARGET.
  static var target: String { "target" }

  let given: Given
  /// The command without a configuration.
  let bare: Command
  /// Whether the TARGET's link must support the options. It need not if they were given
  /// for other TARGETs.
  var mustFitTarget = true
  private let declarations = Command.description.declarations

  init(_ given: Given) throws(UsageError) {
    self.given = given
    bare = try Command(Values(given, of: declarations))
  }

  /// The same command line with other TARGETs.
  func at(_ targets: [String]?) throws(UsageError) -> Self {
    var line = try Self(given.with(Self.target, targets))
    line.mustFitTarget = mustFitTarget
    return line
  }

  /// The command with the values of the configuration.
  ///
  /// - Throws: ``Failure`` that names the line of the wrong entry; `UsageError` if the command
  ///   line is wrong.
  func command(_ choice: ProfileChoice, from file: ProfileFile) throws -> Command {
    var command = bare
    do throws(UsageError) {
      // The values of `[default]` are for all kinds of ports.
      let unused = Values.unusedOptions(at: choice.target)
      let entries = choice.entries.filter { entry in
        !unused.contains(declarations.configurable(entry.key)?.name ?? "")
          || !file.contents.defaults.contains(entry)
      }
      .compactMap(declarations.configured)
      if !entries.isEmpty { command = try Command(Values(given, entries, of: declarations)) }
      if mustFitTarget { try command.values.checkOptions(at: choice.target) }
    } catch {
      guard let path = file.path, let entry = culprit(of: error, in: choice) else { throw error }
      throw Failure(.usage, "\(path):\(entry.line): \(error)")
    }
    command.namedTarget = choice.target
    command.profile = ProfileInUse(
      name: choice.profile, keys: choice.entries.map(\.key).sorted(),
      snippets: Snippet.snippets(of: choice.entries),
      sequences: NamedSequence.sequences(of: choice.entries))
    return command
  }

  /// The entry that caused an error; nil if the command line alone caused it.
  private func culprit(of error: UsageError, in choice: ProfileChoice) -> Entry? {
    choice.entries.last { entry in
      guard let name = declarations.configurable(entry.key)?.name else { return false }
      let isReplaced = given[name] != nil || given.switchedOff.contains(name)
      return error.parameters.contains(name) && !isReplaced
    }
  }
}
