import SerialCore

/// Counts what passes.
final class Statistics: SessionObserver {
  private(set) var receivedCount = 0
  private(set) var sentCount = 0
  private(set) var lossCount = 0

  func session(_ session: Session, didReceive bytes: RawSpan) { receivedCount += bytes.byteCount }

  func session(_ session: Session, didSend bytes: RawSpan) { sentCount += bytes.byteCount }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if case .waitingForDevice(_, .lost) = new { lossCount += 1 }
  }

  /// The counts as lines for the user.
  ///
  /// - Parameters:
  ///   - unsent: how many bytes wait to be sent.
  ///   - counters: what the driver has counted, where it does.
  func lines(unsent: Int, counters: LineCounters?) -> [String] {
    let losses = lossCount == 1 ? "once" : "\(lossCount) times"
    let passed =
      "\(receivedCount.grouped) bytes received, \(sentCount.grouped) sent, "
      + "\(unsent.grouped) waiting to be sent; lost the device \(losses)."
    guard let counters else { return [passed] }
    let errors =
      "  the driver counted \(counters.framingErrors) framing errors, \(counters.parityErrors) "
      + "parity errors, \(counters.overruns) overruns, \(counters.bufferOverruns) buffer overruns, "
      + "\(counters.breaks) breaks"
    return [passed, errors]
  }
}
