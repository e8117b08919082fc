import Observing
import Posix
import SystemPackage
import Time

/// Bytes that were written and are not on the line yet: waiting for them, and discarding them.
extension Session {
  /// Discards what the driver has not taken.
  ///
  /// - Returns: the bytes that were discarded.
  @discardableResult
  public func discardQueued() -> UnsentBytes {
    defer { notifyInterestChange() }
    return outgoing.discardWaiting()
  }

  /// Discards what an author has written and the driver has not taken. The bytes of others stay
  /// queued, in their order.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardQueued(by author: Author) -> Int {
    defer { notifyInterestChange() }
    return outgoing.discardWaiting(by: author)
  }

  /// Discards what is not on the line yet: in the queue and in the driver.
  ///
  /// - Returns: the bytes that were discarded, with ``takeUnsentOfLostLink()``.
  @discardableResult
  public func discardUnsent() -> UnsentBytes {
    discardQueued() + discardTaken() + takeUnsentOfLostLink()
  }

  /// Discards what some authors have written and what is not on the line yet. The bytes of others
  /// stay.
  ///
  /// What the driver has taken can only be discarded as a whole: it stays if others have written a
  /// part of it. A link over a network has handed it to the system, which gives nothing back.
  ///
  /// - Returns: the number of bytes that were discarded.
  package func discardUnsent(by authors: Set<Author>) -> Int {
    let queued = authors.reduce(0) { $0 + discardQueued(by: $1) }
    guard let link, link.endpoint.path != nil else { return queued }
    let count = link.unsentByteCount
    guard outgoing.isUnsent(count, onlyBy: authors), count > 0 else { return queued }
    return queued + discardTaken().total
  }

  /// The same for one author.
  package func discardUnsent(by author: Author) -> Int { discardUnsent(by: [author]) }

  /// The bytes that lost links had taken and not sent, since they were asked for last. They are not
  /// sent again, because some of them may have arrived.
  public func takeUnsentOfLostLink() -> UnsentBytes { outgoing.removeLost() }

  /// Discards what the driver has taken and not sent: the last bytes that it took.
  func discardTaken() -> UnsentBytes { outgoing.driverDiscarded(link?.discardUnsent() ?? 0) }

  /// Waits until everything that was written is on the line, or the limit is reached.
  ///
  /// The only method that waits, for programs without a loop. Meanwhile bytes pass in both
  /// directions, and observers are notified. It returns early if the port is closed. The
  /// corresponding C function is `tcdrain`, which has no limit. An observer must not call it.
  ///
  /// - Parameter limit: the longest time to wait.
  /// - Returns: the number of bytes that are still unsent.
  @discardableResult
  public func drain(atMost limit: Duration) -> Int {
    precondition(!events.isNotifying, "an observer called drain")
    let deadline = MonotonicTime.now + limit
    while unsentByteCount > 0, let descriptor, deadline > .now {
      // No event reports that the driver has sent everything, or that a pacer allows more.
      let end =
        interest.contains(.writing) ? deadline : min(deadline, .now + Self.drainInterval)
      let ready = descriptor.wait(for: interest, until: end)
      if !ready.isEmpty { handle(ready) }
    }
    return unsentByteCount
  }

  private static let drainInterval = Duration.milliseconds(5)
}
