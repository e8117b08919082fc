/// Counts and reports bytes that were not sent, at every end of a session and when a device is
/// lost during it.
package final class UnsentReport {
  /// The number of unsent bytes, without those of files.
  package private(set) var byteCount = 0
  /// Whether a file was not sent or received completely.
  package private(set) var hasCutFile = false

  /// Records that a transfer failed. The failure itself was already reported.
  package func transferDidFail() { hasCutFile = true }

  private let report: (SessionNews) -> Void

  /// - Parameter report: receives each loss.
  package init(report: @escaping (SessionNews) -> Void) { self.report = report }

  /// Reports a number of unsent bytes; nothing for 0.
  package func bytes(_ count: Int) {
    guard count > 0 else { return }
    byteCount += count
    report(.unsent(count))
  }

  /// Reports a file that was not sent completely.
  package func file(_ file: PlainFile, _ end: PlainFile.End) {
    guard end != .done else { return }
    hasCutFile = true
    report(.fileUnsent(file, end))
  }
}
