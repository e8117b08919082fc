import SerialCore

/// The running exchange of a session, and the bytes that were not sent: it discards and reports
/// them when the device is lost, and at the end.
package final class Sending {
  /// The exchange that has the pen; nil while the user, or the pipe, has it.
  package private(set) var exchange: (any RunningExchange)?
  /// Whether queued bytes are discarded when the device is lost. Typed bytes must not reach another
  /// device. Piped bytes are one stream that continues.
  package var discardsForLostDevice = false
  /// The number of unsent bytes, without those of files.
  package private(set) var unsentCount = 0
  /// Whether a file was not sent or received completely.
  package private(set) var hasCutFile = false

  private let session: Session
  private let sharing: SharingController
  private let report: (SessionNews) -> Void
  private var hasFinished = false

  /// - Parameter report: receives each loss.
  init(
    on session: Session, sharedBy sharing: SharingController,
    report: @escaping (SessionNews) -> Void
  ) {
    (self.session, self.sharing, self.report) = (session, sharing, report)
  }

  // MARK: The exchange

  /// Starts an exchange. Until it ends, it is the one that is stopped, resumed and cut off.
  ///
  /// - Parameter begin: starts it. It may end during the call.
  package func run<Failure>(
    _ exchange: any RunningExchange, begin: () throws(Failure) -> Void
  ) throws(Failure) {
    self.exchange = exchange
    do {
      try begin()
    } catch {
      didEnd(exchange)
      throw error
    }
  }

  /// An exchange calls this at its end, before it reports that.
  package func didEnd(_ exchange: any RunningExchange) {
    if self.exchange === exchange { self.exchange = nil }
  }

  // MARK: Unsent bytes

  /// Discards and reports what was for the device, which is lost or released.
  func portWasLost() {
    guard discardsForLostDevice else {
      // Queued bytes go to the device that returns. Bytes that the lost link had taken are gone.
      return reportUnsent(session.takeUnsentOfLostLink().total)
    }
    var discarded = session.discardUnsent()
    exchange?.portWasLost(discarding: &discarded)
    reportUnsent(discarded.total + sharing.discardWaiting())
  }

  /// Discards the unsent bytes, and reports the file that is being sent and the number of the other
  /// bytes. Call it before the port is closed, or when it was lost.
  package func discardUnsent() { discardUnsent(unread: 0) }

  private func discardUnsent(unread: Int) {
    var discarded = session.discardUnsent()
    exchange?.cutOff(discarding: &discarded)
    reportUnsent(discarded.total + sharing.discardWaiting() + unread)
  }

  /// Discards and reports unsent bytes at the end of the session. Calling it again does nothing.
  ///
  /// - Parameter unread: returns the number of input bytes that will not be read.
  func finish(unread: () -> Int) {
    guard !hasFinished else { return }
    hasFinished = true
    discardUnsent(unread: unread())
  }

  /// Reports a number of unsent bytes; nothing for 0.
  package func reportUnsent(_ count: Int) {
    guard count > 0 else { return }
    unsentCount += count
    report(.unsent(count))
  }

  /// Reports a file that was not sent completely.
  package func reportUnsent(_ file: PlainFile, _ end: PlainFile.End) {
    guard end != .done else { return }
    hasCutFile = true
    report(.fileUnsent(file, end))
  }

  /// Records that a transfer failed. The failure itself was already reported.
  package func transferDidFail() { hasCutFile = true }
}
