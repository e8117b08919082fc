import PlainText
import SerialCore
import SessionKit

extension Statistics {
  /// The counters as lines for the user.
  ///
  /// - Parameter counters: the driver's counters, if it has any.
  func lines(counters: LineCounters?) -> [String] {
    let losses = lossCount == 0 ? "no disconnects" : lossCount.counted("disconnect")
    let passed =
      "\(receivedCount.counted("byte")) received, \(sentCount.grouped) sent, "
      + "\(unsentCount.grouped) waiting to be sent; \(losses)."
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
