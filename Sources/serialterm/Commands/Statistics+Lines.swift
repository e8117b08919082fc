import PlainText
import SerialCore
import SessionKit

extension Statistics {
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
