import ArgumentParser
import Glibc
import SystemPackage

/// What the program tells whoever started it; scripts rely on the numbers.
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
  /// What was expected of the device did not come in time.
  case timedOut
  /// Ended by the signal of this number.
  case signal(Int32)
  /// What a command that was run has told.
  case command(Int32)

  /// The signals that end the program in good order. Also those that nobody sends on purpose: left to
  /// signal(7), they would leave the device with our settings.
  static let endingSignals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM]

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

/// An end of the program that needs words: what happened, where, and what to do about it.
struct Failure: Error, Hashable, CustomStringConvertible {
  let status: ExitStatus
  /// Lines, without other control characters.
  let message: String

  var description: String { message }

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message.harmlessLines
  }

  /// Standard output takes no more: without a word when nobody reads any more, who wanted it so.
  init(outputGone error: Errno) {
    self.init(.outputGone, error == .brokenPipe ? "" : "standard output: \(error).")
  }
}
