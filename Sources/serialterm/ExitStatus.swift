import ArgumentParser

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
  case outputGone
  /// Ended by the signal of this number.
  case signal(Int32)

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
    case .outputGone: 9
    case .signal(let number): 128 + number
    }
  }
}

/// An end of the program that needs words: what happened, where, and what to do about it.
struct Failure: Error, Hashable, CustomStringConvertible {
  let status: ExitStatus
  let message: String

  var description: String { message }

  init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }
}
