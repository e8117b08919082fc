import EventLoop
import Glibc
import Observing
import SerialCore
import SystemPackage

/// How a session comes to its end.
extension ConnectController {
  /// How long the user's terminal may take over what is left to show.
  static let showPatience = Duration.milliseconds(200)
  /// How long it may take over the last words.
  private static let messagePatience = Duration.milliseconds(20)

  /// Ends when the device has what was typed, or takes too long.
  func quit() {
    transfer?.stop()
    finishAfterSending(patience: Drain.Patience(total: configuration.drain))
  }

  func inputEnded(_ error: Errno?) {
    if let error { inputFailure = Failure(.otherFailure, "standard input: \(error).") }
    if terminal != nil {
      // The user's terminal is gone; the kernel says so by SIGHUP as well, to a session's leader.
      return finish(.success(.signal(SIGHUP)))
    }
    input.stop()
    // Nothing to send is no reason to leave a device in the middle of its reset.
    parts.opening.afterwards { [unowned self] in
      finishAfterSending(patience: nil, thenWaitingFor: configuration.linger)
    }
  }

  func outputIsGone(_ error: Errno) {
    let isTerminal = console.isOutputTerminal
    finish(isTerminal ? .success(.signal(SIGHUP)) : .failure(Failure(outputGone: error)))
  }

  /// Ends when the driver has sent everything, or its patience is at an end.
  private func finishAfterSending(
    patience: Drain.Patience?, thenWaitingFor linger: Duration = .zero
  ) {
    input.stop()
    drain = Drain(session, on: loop, patience: patience) { [unowned self] unsent in
      warnOfUnsent(unsent)
      waitForAnswer(linger)
    }
  }

  func warnOfUnsent(_ count: Int) {
    if count > 0 { console.warn("\(count.grouped) bytes were not sent.") }
  }

  /// Ends after a while, and when a pipe has taken everything: time that it holds us is not counted.
  private func waitForAnswer(_ linger: Duration) {
    lingerTimer = loop.schedule(after: linger) { [unowned self] in
      guard !console.isOutputTerminal, !console.isDrained else { return finish(.success(.done)) }
      console.onDrained = { [unowned self] in
        console.onDrained = {}
        waitForAnswer(linger)
      }
    }
  }

  /// What went wrong on the way outweighs a good end: a script must know.
  func verdict(_ outcome: Result<ExitStatus, Failure>) throws(Failure) -> ExitStatus {
    let status = try outcome.get()
    guard status == .done else { return status }
    if let inputFailure { throw inputFailure }
    if terminal == nil && refusals.total > 0 {
      throw Failure(.otherFailure, "\(refusals.total.grouped) bytes were not sent: read-only.")
    }
    // What is missing was said when the log ended.
    if parts.log.missingCount > 0 { throw Failure(.logFailed, "") }
    return status
  }

  /// The user's terminal first: a log's disk, and closing a device, may take their time.
  func giveBack() {
    input.stop()
    refusals.flush()
    endBreakAndPulse()
    session.refreshCounters()
    errorReport.finish()
    dialogs.dismiss()
    // What changes from here on is shown nowhere.
    model.changes.remove(self)
    filter.stop()
    if console.isOutputTerminal { view.finish() }
    let untaken = console.finish(within: Self.showPatience)
    terminal?.restore()
    if untaken > 0 && !console.isOutputTerminal {
      console.warn("\(untaken.grouped) bytes were received and not written: nobody took them.")
      _ = console.finish(within: .zero)
    }
    parts.log.finish()
    _ = console.finish(within: Self.messagePatience)
    session.removeObserver(self)
    session.close()
  }
}
