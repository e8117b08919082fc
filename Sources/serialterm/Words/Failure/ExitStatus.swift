import Glibc
import SystemPackage
import TextTools

/// The program's exit status. Scripts rely on the numbers.
enum ExitStatus: Hashable {
  case done
  case otherFailure
  case usage
  case deviceNotFound
  case permissionDenied
  case deviceBusy
  case deviceLost
  case logFailed
  case transferFailed
  case outputGone
  /// The expected text did not arrive in time.
  case timedOut
  /// Ended by the signal of this number.
  case signal(Int32)
  /// The exit status of a command that was run.
  case command(Int32)

  /// The signals that end the program in an orderly way. The default action of the rarer ones would
  /// leave the session's settings on the port.
  static let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM]

  /// The signals that end the program at once, besides those of a crash. The other ones end it so
  /// before a session handles them. No program can handle SIGKILL and the two signals before
  /// SIGRTMIN, which the C library keeps.
  static let suddenSignals =
    [SIGXCPU, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR, SIGSTKFLT]
    + (__libc_current_sigrtmin()...__libc_current_sigrtmax())  // SIGRTMIN and SIGRTMAX

  var code: Int32 {
    switch self {
    case .done: 0
    case .otherFailure: 1
    case .usage: 2
    case .deviceNotFound: 3
    case .permissionDenied: 4
    case .deviceBusy: 5
    case .deviceLost: 6
    case .logFailed: 7
    case .transferFailed: 8
    case .outputGone: 9
    case .timedOut: 10
    case .signal(let number): 128 + number
    case .command(let code): code
    }
  }
}

/// A failure that ends the program: what happened, where, and what to do about it.
struct Failure: Error, Hashable, CustomStringConvertible {
  let status: ExitStatus
  /// Lines of text without control characters. Empty if the user already knows.
  private(set) var message: String
  /// Whether `--wait` would have waited for the port.
  private(set) var canWait = false

  var description: String { message }

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message.harmlessLines
  }

  /// The same failure of a port in use, for which `--wait` would have waited.
  var avoidableByWaiting: Failure {
    var failure = self
    failure.canWait = true
    return failure
  }

  /// The same failure with the advice to wait, of a command that has the option `--wait`.
  var advisingToWait: Failure {
    guard canWait, !message.contains(text: "--wait") else { return self }
    var failure = self
    failure.message += " --wait waits until it is free."
    return failure
  }

  /// Standard output cannot be written to. A reader that has closed the pipe needs no message.
  init(outputGone error: Errno) {
    let message =
      switch error {
      case .brokenPipe: ""
      case .badFileDescriptor: "standard output is not open for writing."
      default: "standard output: \(error)."
      }
    self.init(.outputGone, message)
  }

  /// The failure to read standard input.
  init(inputFailed error: Errno) {
    self.init(
      .otherFailure,
      error == .badFileDescriptor
        ? "standard input is not open for reading." : "standard input: \(error).")
  }
}

extension ExitStatus {
  /// How a signal has ended a program, as a phrase: `was stopped by signal 9 (KILL)`.
  static func ending(bySignal number: Int32) -> String {
    if number == SIGINT { return "was stopped with ctrl-c" }
    let names: [Int32: String] = [
      SIGHUP: "HUP", SIGQUIT: "QUIT", SIGABRT: "ABRT", SIGKILL: "KILL", SIGUSR1: "USR1",
      SIGSEGV: "SEGV", SIGUSR2: "USR2", SIGPIPE: "PIPE", SIGALRM: "ALRM", SIGTERM: "TERM",
    ]
    return "was stopped by signal \(number)" + (names[number].map { " (\($0))" } ?? "")
  }

  /// How a command ended, as a phrase: `ended with status 3`.
  var ofCommand: String {
    switch self {
    case .signal(let number): Self.ending(bySignal: number)
    default: "ended with status \(code)"
    }
  }
}
