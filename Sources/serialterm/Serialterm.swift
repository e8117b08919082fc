import ArgumentParser
import CTerminalGuard
import Glibc
import SystemPackage

/// The program's root: its subcommands, and the one place that ends the process.
@main
struct Serialterm: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serialterm",
    abstract: "A serial-port terminal that loses nothing and can always be left.",
    discussion: """
      Without a subcommand it connects: 'serialterm /dev/ttyUSB0' is 'serialterm connect \
      /dev/ttyUSB0'.

      EXAMPLE:
        serialterm loopback:board        talk to a simulated board, no hardware needed
      """,
    version: "serialterm \(version)",
    subcommands: [
      ConnectCommand.self, ListCommand.self, MonitorCommand.self, LoopbackCommand.self,
      ReleaseCommand.self, SendCommand.self, RunCommand.self, ReplayCommand.self,
      ProfileCommand.self, DoctorCommand.self, RulesCommand.self, SessionCommandsCommand.self,
    ],
    defaultSubcommand: ConnectCommand.self)

  static let version = "0.1.0"

  static func main() {
    terminal_guard_handle_crashes()
    // A reader that goes away is an answer of write(2), not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    occupyStandardStreams()
    Glibc.exit(status().code)
  }

  /// Puts /dev/null where a standard stream was closed: whatever is opened next would take its
  /// number, and be written to as if it were that stream.
  ///
  /// An answer to a closed output is not lost in silence: what stands for it takes no writing. A
  /// session opens it anew, and goes on with what it does besides.
  private static func occupyStandardStreams() {
    for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
      // Takes the lowest number that is free, which is this one.
      _ = open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR)
    }
  }

  private static func status() -> ExitStatus {
    let words = OptionalValues.complete(
      JoinedValues.split(Array(CommandLine.arguments.dropFirst())))
    do {
      let reading = try CommandLineReader(
        parse: { try parsed($0) }, words: { message(for: $0) }
      ).read(words)
      var command = reading.command
      if let profiled = command as? any ProfiledCommand {
        return try profiled.execute(reading.late)
      }
      if let subcommand = command as? any Subcommand { return try subcommand.execute() }
      // The parser's own: help for a subcommand, which it answers by an error.
      try command.run()
      return .done
    } catch let failure as Failure {
      complain(failure.message)
      return failure.status
    } catch let errno as Errno {
      complain("the system refuses what is needed: \(errno).")
      return .otherFailure
    } catch {
      return status(of: error)
    }
  }

  /// What the arguments say, as a command.
  ///
  /// The parser builds its table of options by reflection, for all subcommands if it starts at the
  /// root: half of the time to the first byte. A subcommand that is named is asked alone; when that
  /// fails, the root is, which knows how to say why.
  private static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
    let named = configuration.subcommands.first { $0._commandName == arguments.first }
    if let named, let command = try? named.parse(Array(arguments.dropFirst())) { return command }
    return try parseAsRoot(arguments)
  }

  /// The parser's own ends: help and version are answers, the rest is wrong usage.
  private static func status(of error: any Error) -> ExitStatus {
    if exitCode(for: error) == .success { return answer(fullMessage(for: error)) }
    let message = message(for: error)
    let end = message.hasSuffix(".") || message.hasSuffix("?") ? "" : "."
    complain("\(message)\(end) See 'serialterm --help'.")
    return .usage
  }

  private static func answer(_ text: String) -> ExitStatus {
    do throws(Failure) {
      try StandardStream.output.print(text + "\n")
      return .done
    } catch {
      complain(error.message)
      return error.status
    }
  }

  private static func complain(_ message: String) {
    if !message.isEmpty { StandardStream.complain(message) }
  }
}

/// A subcommand says how it ended; the root ends the process.
protocol Subcommand: ParsableCommand {
  /// Does the work.
  ///
  /// - Throws: ``Failure`` for every end that needs words.
  func execute() throws -> ExitStatus
}
