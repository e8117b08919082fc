import ArgumentParser
import CTerminalGuard
import Glibc
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// The root command: it parses the command line, runs the subcommand and ends the process.
@main
struct Serialterm: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serialterm",
    abstract: "A serial-port terminal that survives unplugging and loses no byte silently.",
    discussion: """
      Without a subcommand it connects: 'serialterm /dev/ttyUSB0' is 'serialterm connect \
      /dev/ttyUSB0'. In a session, ctrl-t q quits and ctrl-t ? lists the commands.

      EXAMPLES:
        serialterm list                  show the serial devices
        serialterm ttyUSB0 -b 9600       connect at 9600 baud, not 115200
        serialterm loopback:board        talk to a simulated board, no hardware needed
        serialterm doctor ttyUSB0        find out why a device does not work
        serialterm connect --help        show the options of a session
      """,
    version: "serialterm \(version)",
    subcommands: [
      ConnectCommand.self, ListCommand.self, MonitorCommand.self, LoopbackCommand.self,
      ReleaseCommand.self, LogCommand.self, SendCommand.self, RunCommand.self, ReplayCommand.self,
      ProfileCommand.self, DoctorCommand.self, RulesCommand.self, SessionCommandsCommand.self,
    ],
    defaultSubcommand: ConnectCommand.self)

  static let version = "0.1.0"

  static func main() {
    terminal_guard_handle_crashes()
    for number in ExitStatus.ignoredSignals { signal(number, SIG_IGN) }
    occupyStandardStreams()
    Glibc.exit(status().code)
  }

  /// Opens /dev/null in place of a closed standard stream. Otherwise the next file that is opened would
  /// get its number, and be written to as if it were that stream.
  ///
  /// In place of standard output it is read-only, so that writing an answer fails and is reported. A
  /// session opens it again for writing, and continues with its other work.
  private static func occupyStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      // open(2) uses the lowest free number, which is this one.
      _ = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  private static func status() -> ExitStatus {
    let words = OptionalValues.complete(
      JoinedValues.split(Array(CommandLine.arguments.dropFirst())))
    do {
      let devices = DeviceCatalog()
      let reading = try CommandLineReader(
        parse: { try parsed($0) }, words: { message(for: $0) }, devices: { try? devices.current() }
      ).read(words)
      var command = reading.command
      if let complaint = complaint(aboutTargetsOf: reading) {
        complain(complaint)
        return .usage
      }
      if let subcommand = command as? any Subcommand {
        return try subcommand.execute(
          in: CommandContext(
            devices: devices, late: reading.late, others: reading.others,
            further: reading.further))
      }
      // The parser's own help command, which throws its text.
      try command.run()
      return .done
    } catch let failure as Failure {
      complain(failure.message)
      return failure.status
    } catch let gone as OutputGone {
      return status(of: gone)
    } catch let errno as Errno {
      complain("a system call failed: \(errno).")
      return .otherFailure
    } catch {
      return status(of: error)
    }
  }

  /// The complaint about a word that was taken for one of several TARGETs, and cannot be one.
  private static func complaint(aboutTargetsOf reading: CommandLineReader.Reading) -> String? {
    guard !reading.others.isEmpty else { return nil }
    let targets = ([reading.command] + reading.others.map(\.command))
      .compactMap { ($0 as? any ProfiledCommand)?.namedTarget }
    let arguments = Array(CommandLine.arguments.dropFirst())
    let missing = arguments.filter { word in
      guard !word.contains("/"), let target = try? Target(parsing: word), targets.contains(target),
        case .endpoint(let endpoint) = target, let path = endpoint.path
      else { return false }
      return (try? path.stat()) == nil
    }
    return UsageAdvice.message(
      forTargets: missing, arguments: arguments,
      subcommands: Set(configuration.subcommands.map { $0._commandName }))
  }

  /// Parses the arguments.
  ///
  /// The parser builds its table of options by reflection. Starting at the root it does so for all
  /// subcommands, which takes half of the time to the first byte. So a named subcommand parses alone; if
  /// that fails, the root parses again, because its errors are better.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let named = configuration.subcommands.first { $0._commandName == arguments.first }
    if let named, let command = try? named.parse(Array(arguments.dropFirst())) { return command }
    return try parseAsRoot(arguments)
  }

  /// The status of an error that the parser threw: help and version are answers, all others are usage
  /// errors.
  private static func status(of error: any Error) -> ExitStatus {
    if exitCode(for: error) == .success { return answer(fullMessage(for: error)) }
    complain(
      UsageAdvice.message(
        for: message(for: error), arguments: Array(CommandLine.arguments.dropFirst()),
        subcommands: Set(configuration.subcommands.map { $0._commandName })))
    return .usage
  }

  private static func answer(_ text: String) -> ExitStatus {
    do throws(OutputGone) {
      try StandardStream.output.print(text + "\n")
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

/// A subcommand, which returns its exit status; the root command ends the process.
protocol Subcommand: ParsableCommand {
  /// Runs the command.
  ///
  /// - Throws: ``Failure`` for every end that needs a message.
  func execute(in context: CommandContext) throws -> ExitStatus
}

/// What a subcommand gets besides its arguments.
struct CommandContext {
  /// The serial ports of the machine. The choice of the profile may have started it already.
  let devices: DeviceCatalog
  /// Completes a ``ProfiledCommand`` when its device is known; nil if the profile is decided.
  let late: LateProfile?
  /// The command again for each further TARGET.
  let others: [CommandLineReader.Reading]
  /// The command for one more device; nil for a command without a TARGET.
  let further: ((Endpoint) throws -> any ProfiledCommand)?
}
