import Observing
package import SerialCore

/// The counters of a session: its bytes, and how often its device was lost.
package final class Statistics {
  private unowned let session: Session
  package private(set) var lossCount = 0
  private var losses: ObservationToken<SessionEvent>?

  package init(of session: Session) {
    self.session = session
    losses = session.observe(.stateChange, rank: .recorder) { [unowned self] in
      if case .waitingForDevice(_, .lost) = $0.new { lossCount += 1 }
    }
  }

  package var receivedCount: Int { session.receivedByteCount }
  package var sentCount: Int { session.sentByteCount }
  /// The number of bytes that were written to the session and are not on the line yet.
  package var unsentCount: Int { session.unsentByteCount }
}
