/// Counts what was given and not sent, and reports it: for every way out of a session, and for what is lost
/// while it continues.
package final class UnsentReport {
  /// The number of bytes that were not sent, without those of files.
  package private(set) var byteCount = 0
  /// Whether a file was not sent, or received, to its end.
  package private(set) var hasCutFile = false

  /// Notes that a transfer failed, which was reported.
  package func transferDidFail() { hasCutFile = true }

  private let report: (SessionNews) -> Void

  /// - Parameter report: receives each loss.
  package init(report: @escaping (SessionNews) -> Void) { self.report = report }

  /// Reports a number of bytes; nothing for 0.
  package func bytes(_ count: Int) {
    guard count > 0 else { return }
    byteCount += count
    report(.unsent(count))
  }

  /// Reports a file that was not sent to its end.
  package func file(_ file: PlainFile, _ end: PlainFile.End) {
    guard end != .done else { return }
    hasCutFile = true
    report(.fileUnsent(file, end))
  }
}
