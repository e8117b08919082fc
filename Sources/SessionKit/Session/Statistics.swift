package import SerialCore

/// Counts bytes and disconnects.
package final class Statistics: SessionObserver {
  package private(set) var receivedCount = 0
  package private(set) var sentCount = 0
  package private(set) var lossCount = 0

  package init() {}

  package func session(_ session: Session, didReceive bytes: RawSpan) {
    receivedCount += bytes.byteCount
  }

  package func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    sentCount += bytes.byteCount
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    if case .waitingForDevice(_, .lost) = new { lossCount += 1 }
  }
}
