package import SerialCore

/// The counters of a session: its bytes, and how often its device was lost.
package final class Statistics: SessionObserver {
  private unowned let session: Session
  package private(set) var lossCount = 0

  package init(of session: Session) {
    self.session = session
    session.addObserver(self, of: .stateChange)
  }

  package var receivedCount: Int { session.receivedByteCount }
  package var sentCount: Int { session.sentByteCount }
  /// The number of bytes that were written to the session and are not on the line yet.
  package var unsentCount: Int { session.unsentByteCount }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    if case .waitingForDevice(_, .lost) = new { lossCount += 1 }
  }
}
