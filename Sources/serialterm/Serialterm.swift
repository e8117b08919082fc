import CTerminalGuard
import Configuration
import DeviceWatch
import Glibc
import Options
import Posix
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// The program: parses the command line, runs the command, and ends the process.
@main
enum Serialterm {
  static let name = "serialterm"
  static let version = "1.0.0-rc1"

  static func main() {
    terminal_guard_handle_crashes()
    ExitGuard.handle(ExitStatus.endingSignals + ExitStatus.suddenSignals)
    for number in ChildProcess.ignoredSignals { signal(number, SIG_IGN) }
    occupyStandardStreams()
    let code = status().code
    RunningProgram.finishEndings()
    Glibc.exit(code)
  }

  /// Opens /dev/null in place of a closed standard stream. Otherwise the next opened file would get
  /// its number, and output for the stream would be written to that file.
  ///
  /// In place of standard output it is read-only, so that writing fails and is reported. A session
  /// reopens it for writing, and continues with its other work.
  private static func occupyStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      // open(2) uses the lowest free number, which is the number of this stream.
      _ = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  private static func status() -> ExitStatus {
    let words = Invocation.words(of: ProgramArguments.all)
    do {
      switch Invocation(words) {
      case .version: return answer("\(name) \(version)\n")
      case .completionScript(let name):
        guard let shell = Shell(rawValue: name) else {
          throw Failure(
            .usage, "--generate-completion-script: '\(name)': expected bash, zsh or fish.")
        }
        return answer(shell.script)
      case .help(let topic):
        guard let text = HelpTopic.text(of: topic) else {
          throw Failure(.usage, UsageAdvice.message(forHelpAbout: topic))
        }
        return answer(text)
      case .command(let command, let rest):
        return try run(command, rest, isNamed: rest.count < words.count)
      case .noMember(let group, let word):
        throw Failure(.usage, UsageAdvice.message(forMember: word, of: group))
      }
    } catch let failure as Failure {
      complain(failure.message)
      return failure.status
    } catch let gone as OutputGone {
      return status(of: gone)
    } catch let errno as Errno {
      complain("a system call failed: \(errno).")
      return .otherFailure
    } catch {
      complain("\(error)")
      return .otherFailure
    }
  }

  /// Warns that the name of a command is the command and not the profile of this name.
  /// Programs that read what a command prints need no warning.
  private static func warnOfProfile(
    named command: CommandDescription, _ given: Given, in file: @autoclosure () -> ProfileFile?
  ) {
    let isForPrograms = ["quiet", "names", "json"].contains { given[$0] != nil }
    guard !isForPrograms, !command.isHidden, command.name != ConnectCommand.name,
      let name = command.name.split(separator: " ").first.map(String.init),
      file()?.contents.profile(named: name) != nil
    else { return }
    complain(
      "warning: '\(name)' is a command, and a profile. 'serialterm --profile \(name)' is the profile."
    )
  }

  /// Runs a command with the words after its name.
  ///
  /// - Throws: ``Failure``, `OutputGone`, `Errno`.
  ///
  /// - Parameter isNamed: whether the command line names the command.
  private static func run(
    _ command: any Subcommand.Type, _ words: [String], isNamed: Bool
  ) throws -> ExitStatus {
    let description = command.description
    do {
      let given = try command.given(by: words)
      let devices = DeviceCatalog()
      let configured = given["config"]?.last.map { FilePath($0) }
      guard let profiled = command.profiled(for: given) else {
        if isNamed { warnOfProfile(named: description, given, in: try? ProfileFile(configured)) }
        return try command.init(Values(given, of: description.declarations))
          .execute(in: CommandContext(devices: devices))
      }
      let reading = try CommandLineReader(devices: { try? devices.current() }).read(profiled, given)
      try checkTargets(
        of: reading, given, isNamed: isNamed, among: { (try? devices.current()) ?? [] })
      if isNamed, !reading.command.values[SessionParameters.quiet] {
        warnOfProfile(named: description, given, in: reading.file)
      }
      for command in [reading.command] + reading.others.map(\.command) {
        guard !command.values[SessionParameters.quiet] else { continue }
        command.values.note(at: command.namedTarget).map(complain)
        command.values.mapNote.map(complain)
      }
      do {
        return try reading.command.execute(
          in: CommandContext(
            devices: devices, deviceProfile: reading.deviceProfile, others: reading.others,
            additional: reading.additional, ofProfile: reading.ofProfile))
      } catch let failure as Failure
        where description.declarations.contains(where: {
          $0.name == SessionParameters.wait.name
        })
      {
        throw failure.advisingToWait
      }
    } catch let error as WordError {
      throw Failure(.usage, UsageAdvice.message(for: error, in: description, words: words))
    } catch let error as UsageError {
      throw Failure(.usage, UsageAdvice.message(for: error, in: description))
    }
  }

  /// Refuses words that were read as TARGETs but cannot be any.
  private static func checkTargets(
    of reading: CommandLineReader.Reading, _ given: Given, isNamed: Bool,
    among devices: () -> [Device]
  ) throws(Failure) {
    let texts = given["target"] ?? []
    let commands = [reading.command] + reading.others.map(\.command)
    let targets = commands.map(\.namedTarget)
    // Any device may come while the command waits.
    let waits = reading.command.values[SessionParameters.wait]
    let isProfile = texts.first.map { !targets.contains(try? Target(parsing: $0)) } ?? true
    let order =
      isProfile || waits
      ? nil
      : UsageAdvice.message(
        forOrderOf: given, in: type(of: reading.command).description, isDevice: Self.isDevice)
    // Several profiles may be for one device, and a shared port is opened several times.
    let isOnce =
      given["profiles"] == nil && commands.contains { $0.values[SessionParameters.exclusive] }
    let named = isOnce ? targets.compactMap { $0?.node } : []
    let same = UsageAdvice.message(forSame: named.map { ("\($0)".harmless, $0.realPath) })
    if let message = order ?? same { throw Failure(.usage, message) }
    let missing = texts.filter { text in
      guard !text.contains("/"), let target = try? Target(parsing: text), targets.contains(target),
        let node = target.node
      else { return false }
      return (try? node.stat()) == nil
    }
    guard let first = missing.first else { return }
    if texts.count > 1 {
      let words = Array(ProgramArguments.all.dropFirst())
      if let message = UsageAdvice.message(forTargets: missing, words: words) {
        throw Failure(.usage, message)
      }
      guard reading.command is ConnectCommand, !waits, Self.isDevice(texts[0]),
        let message = UsageAdvice.message(forTextBehind: texts[0], missing)
      else { return }
      throw Failure(.deviceNotFound, message)
    }
    let nodes = {
      let consoles = KernelConsoles()
      return devices().filter { !consoles.contains($0.node) }
        .compactMap { $0.node.lastComponent?.string }
    }
    let profiles = {
      let file = try? ProfileFile(given["config"]?.last.map { FilePath($0) })
      return file?.contents.profiles.map(\.name) ?? []
    }
    if !waits,
      let meant = UsageAdvice.meaning(
        ofTarget: first, isFirstWord: !isNamed, nodes: nodes, profiles: profiles)
    {
      throw Failure(.deviceNotFound, "\(first): no such device. Did you mean \(meant)?")
    }
  }

  /// Whether a word is a TARGET for sure: a present device, a simulation, or a URL. Other forms may
  /// be a text too: `port:80`.
  private static func isDevice(_ word: String) -> Bool {
    guard let target = try? Target(parsing: word) else { return false }
    guard let node = target.node else {
      return word.hasPrefix("loopback:") || word.contains(text: "://")
    }
    return (try? node.stat().type) == .characterSpecial && node != "/dev/null"
  }

  private static func answer(_ text: String) -> ExitStatus {
    do throws(OutputGone) {
      try StandardStream.output.print(text)
      return .done
    } catch {
      return status(of: error)
    }
  }

  private static func status(of gone: OutputGone) -> ExitStatus {
    let failure = Failure(outputGone: gone.error)
    complain(failure.message)
    return failure.status
  }

  private static func complain(_ message: String) {
    if !message.isEmpty { StandardStream.complain(message) }
  }
}
