import ArgumentParser
import Configuration
import DeviceWatch
import SerialCore
import SessionKit
import SystemPackage

/// Parses the command line, completed with the options of the configuration.
///
/// The options of the configuration are inserted before those of the command line and parsed together
/// with them. Of two values the last counts, so the command line wins.
struct CommandLineReader {
  private let parse: ([String]) throws -> any ParsableCommand
  private let words: (any Error) -> String
  private let devices: () -> [Device]?

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - parse: Parses arguments into a command.
  ///   - words: Describes an error of `parse`.
  ///   - devices: Lists the devices; returns nil if udev is not available.
  init(
    parse: @escaping ([String]) throws -> any ParsableCommand,
    words: @escaping (any Error) -> String,
    devices: @escaping () -> [Device]?
  ) {
    self.parse = parse
    self.words = words
    self.devices = devices
  }

  /// A parsed command line.
  struct Reading {
    let command: any ParsableCommand
    /// Completes the command again when its device is known; nil if the profile is already decided.
    var late: LateProfile?
    /// The command again for each further TARGET, with the profile of that.
    var others: [Reading] = []
    /// Returns the command for one more device, in place of its own TARGETs, with the profile of that.
    var further: ((Endpoint) throws -> any ProfiledCommand)?
  }

  /// Parses arguments.
  ///
  /// - Throws: The error of `parse` for the command line, ``Failure`` for the configuration.
  func read(_ arguments: [String]) throws -> Reading {
    let typed = SwitchedOff(arguments)
    let command = try parse(typed.arguments)
    guard let command = command as? any ProfiledCommand else {
      return Reading(command: typed.keys.isEmpty ? command : try parse(arguments))
    }
    let options = command.profileOptions
    let file = try ProfileFile(options.config.map { FilePath($0) })
    var reading = try readAll(command, typed, with: file)
    reading.further = { try read($0, like: command, typed, with: file) }
    return reading
  }

  /// Parses the command line as if its TARGET were this device.
  private func read<Command: ProfiledCommand>(
    _ endpoint: Endpoint, like command: Command, _ typed: SwitchedOff, with file: ProfileFile
  ) throws -> any ProfiledCommand {
    let places = places(ofTargetsOf: command, in: typed.arguments)
    var other = typed
    other.arguments = typed.arguments.indices
      .filter { !places.contains($0) }.map { typed.arguments[$0] }
    guard var further = try parse(other.arguments) as? Command else { return command }
    further.namedTarget = .endpoint(endpoint)
    return try read(further, other, with: file).command as? any ProfiledCommand ?? further
  }

  /// Parses the command line once for each TARGET, as if it were the only one.
  private func readAll<Command: ProfiledCommand>(
    _ command: Command, _ typed: SwitchedOff, with file: ProfileFile
  ) throws -> Reading {
    guard !command.moreTargets.isEmpty else { return try read(command, typed, with: file) }
    let places = places(ofTargetsOf: command, in: typed.arguments)
    var readings = try places.map { place -> Reading in
      var one = typed
      one.arguments = typed.arguments.indices
        .filter { $0 == place || !places.contains($0) }.map { typed.arguments[$0] }
      guard let command = try parse(one.arguments) as? Command else {
        return Reading(command: command)
      }
      return try read(command, one, with: file)
    }
    var first = readings.removeFirst()
    first.others += readings.flatMap { [$0] + $0.others }
    return first
  }

  /// The places of the TARGETs among the arguments. Words that look like one may be values of options, in
  /// which case the parser tells them apart: replacing a TARGET changes that target alone.
  private func places<Command: ProfiledCommand>(
    ofTargetsOf command: Command, in arguments: [String]
  ) -> [Int] {
    let targets = command.allTargets
    let candidates = arguments.indices.filter { index in
      (try? Target(parsing: arguments[index])).map(targets.contains) ?? false
    }
    if candidates.count == targets.count { return candidates }
    return candidates.filter { index in
      var others = arguments
      others[index] = "port:another"
      guard let other = (try? parse(others)) as? Command else { return false }
      return other.allTargets.count == targets.count
        && zip(other.allTargets, targets).count { $0 != $1 } == 1
    }
  }

  private func read<Command: ProfiledCommand>(
    _ command: Command, _ typed: SwitchedOff, with file: ProfileFile
  ) throws -> Reading {
    let choice = try ProfileChoice(
      profile: command.profileOptions.profile, target: command.namedTarget,
      isName: { name in isTarget(name, of: command, in: typed.arguments) }, file: file,
      devices: devices)
    let late = LateProfile { device in
      try complete(command, typed, with: choice.knowing(device, in: file), from: file)
    }
    let completed = try complete(command, typed, with: choice, from: file)
    if !choice.moreTargets.isEmpty && !Command.takesSeveralTargets {
      throw Failure(
        .usage, "the profile '\(choice.profile ?? "")' has several targets: name one of them.")
    }
    return Reading(
      command: completed, late: choice.dependsOnDevice ? late : nil,
      others: choice.moreTargets.map { target in
        var other = completed
        other.namedTarget = target
        return Reading(command: other)
      })
  }

  private func complete<Command: ProfiledCommand>(
    _ command: Command, _ typed: SwitchedOff, with choice: ProfileChoice, from file: ProfileFile
  ) throws -> Command {
    var completed = command
    let entries = choice.entries.filter { entry in
      // Otherwise the values of both would be added for an option that may be repeated.
      let isReplaced =
        ProfileKey(named: entry.key).map { $0.kind == .texts && $0.isGiven(in: typed.arguments) }
        ?? false
      return !isReplaced && !typed.keys.contains(entry.key)
    }
    if !entries.isEmpty {
      let completion = Completion<Command>(typed: typed.arguments, entries: entries)
      do {
        guard let parsed = try parse(completion.words) as? Command else { return command }
        completed = parsed
      } catch {
        throw culprit(of: completion, in: file) ?? Failure(.usage, words(error))
      }
    }
    completed.namedTarget = choice.target
    completed.profileOptions.profile = choice.profile
    completed.profileOptions.configuredKeys = choice.entries.map(\.key).sorted()
    return completed
  }

  /// Whether the TARGET was given as this name, not as a path: replacing the argument must change the
  /// parsed target.
  private func isTarget<Command: ProfiledCommand>(
    _ name: String, of command: Command, in arguments: [String]
  ) -> Bool {
    arguments.indices.contains { index in
      guard arguments[index] == name else { return false }
      var others = arguments
      others[index] = "latest"
      return (try? parse(others) as? Command)?.namedTarget == .device(.latest)
    }
  }

  /// Finds the entry that the parser refuses: the one whose removal makes the rest valid, or else the
  /// first that is invalid on its own.
  private func culprit<Command>(of completion: Completion<Command>, in file: ProfileFile)
    -> Failure?
  {
    func complaint(_ entries: [Entry]) -> String? {
      do {
        _ = try parse(completion.replacing(entries: entries).words)
        return nil
      } catch {
        return words(error)
      }
    }
    let entries = completion.entries
    let culprit =
      entries.first { entry in complaint(entries.filter { $0 != entry }) == nil }
      ?? entries.first { complaint([$0]) != nil }
    guard let culprit, let path = file.path else { return nil }
    let what = complaint([culprit]) ?? complaint(entries) ?? ""
    return Failure(.usage, "\(path):\(culprit.line): \(what)")
  }
}

/// The arguments of a command line, and the configuration's entries.
private struct Completion<Command: ProfiledCommand> {
  let typed: [String]
  let entries: [Entry]

  func replacing(entries: [Entry]) -> Self { Self(typed: typed, entries: entries) }

  var words: [String] {
    let name = Command.profiledName.rawValue
    let rest = typed.first == name ? typed.dropFirst() : typed[...]
    return [name] + entries.flatMap { Self.words(for: $0) } + rest
  }

  private static func words(for entry: Entry) -> [String] {
    guard let key = ProfileKey(named: entry.key), key.commands.contains(Command.profiledName)
    else { return [] }
    return key.arguments(for: entry.value) ?? []
  }
}

extension ProfiledCommand {
  fileprivate var allTargets: [Target] { (namedTarget.map { [$0] } ?? []) + moreTargets }
}
