import SerialCore

/// Whether bytes that were written still wait: in the queue of the session, or in that of the
/// session that was joined.
///
/// Who has joined a session writes into a fast connection, and sees nothing of the queue at its
/// other end. It asks the other end, once after each write, and only if the other end answers.
package final class SentCheck {
  private unowned let controller: SessionController
  /// Whether to ask the other end.
  private var mustAsk: Bool

  package init(of controller: SessionController) {
    self.controller = controller
    // The question of an earlier one may get no answer.
    mustAsk = controller.userSharing.remote?.isSending ?? false
  }

  /// Notes that bytes were written.
  package func didWrite() {
    mustAsk = true
    _ = isWaiting()
  }

  /// Whether bytes that were written wait for a driver.
  package func isWaiting() -> Bool {
    // A question would overtake what is in the queue here.
    if controller.session.queuedByteCount > 0 { return true }
    guard let remote = controller.userSharing.remote else { return false }
    if mustAsk { remote.askWhenSent() }
    mustAsk = false
    return remote.isSending
  }
}
