import SerialCore

/// Counts bytes and disconnects.
final class Statistics: SessionObserver {
  private(set) var receivedCount = 0
  private(set) var sentCount = 0
  private(set) var lossCount = 0

  func session(_ session: Session, didReceive bytes: RawSpan) { receivedCount += bytes.byteCount }

  func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    sentCount += bytes.byteCount
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if case .waitingForDevice(_, .lost) = new { lossCount += 1 }
  }

  /// The counts as lines for the user.
  ///
  /// - Parameters:
  ///   - unsent: how many bytes wait to be sent.
  ///   - counters: what the driver has counted, where it does.
  func lines(unsent: Int, counters: LineCounters?) -> [String] {
    let losses = lossCount == 0 ? "no disconnects" : lossCount.counted("disconnect")
    let passed =
      "\(receivedCount.counted("byte")) received, \(sentCount.grouped) sent, "
      + "\(unsent.grouped) waiting to be sent; \(losses)."
    guard let counters else { return [passed] }
    let errors =
      "  the driver counted "
      + [
        (counters.framingErrors, "framing error"), (counters.parityErrors, "parity error"),
        (counters.overruns, "overrun"), (counters.bufferOverruns, "buffer overrun"),
        (counters.breaks, "break"),
      ].map { Int($0).counted($1) }.joined(separator: ", ")
    return [passed, errors]
  }
}
