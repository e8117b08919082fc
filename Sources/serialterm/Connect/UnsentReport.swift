import SessionKit

/// Reports bytes that were written and not sent: for every way out of a session, and for those that are
/// lost while it continues.
final class UnsentReport {
  /// The number of bytes that were not sent, without those of files.
  private(set) var byteCount = 0
  /// Whether a file was not sent to its end.
  private(set) var hasCutFile = false

  private let warn: (String) -> Void

  /// - Parameter warn: prints a line.
  init(warn: @escaping (String) -> Void) { self.warn = warn }

  /// Reports a number of bytes; prints nothing for 0.
  func bytes(_ count: Int) {
    guard count > 0 else { return }
    byteCount += count
    warn("\(count.bytesWere) not sent.")
  }

  /// Reports that a file was not sent to its end, and how far it got.
  func file(_ file: PlainFile, _ end: PlainFile.End) {
    let progress =
      "\(file.sentCount.grouped) of \(file.size.bytesWere) sent"
    switch end {
    case .done: return
    case .stopped: warn("\(file.name) was stopped: \(progress).")
    case .cutOff: warn("\(file.name) was cut off: \(progress).")
    case .unreadable(let error):
      warn("\(file.name) cannot be read to its end (\(error)): \(progress).")
    }
    hasCutFile = true
  }

  /// The exit status of the program: 0 becomes another status if bytes were not sent.
  ///
  /// - Parameter isLogComplete: whether the log contains every received byte.
  func verdict(
    on outcome: Result<ExitStatus, Failure>, isLogComplete: Bool
  ) -> Result<ExitStatus, Failure> {
    switch outcome {
    case .success(.done):
      let status: ExitStatus =
        hasCutFile
        ? .transferFailed : !isLogComplete ? .logFailed : byteCount > 0 ? .otherFailure : .done
      return .success(status)
    case .failure(let failure) where hasCutFile && failure.status == .deviceLost:
      return .failure(Failure(.transferFailed, failure.message))
    case .success, .failure: return outcome
    }
  }
}
