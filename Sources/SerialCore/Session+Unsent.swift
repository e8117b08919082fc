import Glibc
import Observing
import Posix
import SystemPackage

/// Bytes that were written and are not on the line yet: waiting for them, and discarding them.
extension Session {
  /// Discards what the driver has not taken.
  ///
  /// - Parameter kept: the number of bytes that stay queued, those that were written first.
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardQueued(keeping kept: Int = 0) -> Int {
    defer { tellInterest() }
    let count = max(0, queuedByteCount - kept)
    queue.removeLast(count)
    return count
  }

  /// Discards what is not on the line yet: in the queue and in the driver.
  ///
  /// - Returns: the number of bytes that were discarded.
  @discardableResult
  public func discardUnsent() -> Int { discardQueued() + (link?.discardUnsent() ?? 0) }

  /// Waits until everything that was written is on the line, or the limit is reached.
  ///
  /// The only method that waits, for programs without a loop. Meanwhile bytes pass in both directions,
  /// and observers are notified. It returns early if the port is closed. The corresponding C function
  /// is `tcdrain`, which has no limit. An observer must not call it.
  ///
  /// - Parameter limit: the longest time to wait.
  /// - Returns: the number of bytes that are still unsent.
  @discardableResult
  public func drain(atMost limit: Duration) -> Int {
    precondition(!events.isNotifying, "an observer called drain")
    let deadline = MonotonicTime.now + limit
    while unsentByteCount > 0, let descriptor, deadline > .now {
      let rest = deadline - .now
      // No event reports that the driver has sent everything, or that a pacer allows more.
      let wait = interest.contains(.writing) ? rest : min(rest, Self.drainInterval)
      let ready = Self.poll(descriptor, for: interest, atMost: wait)
      guard ready != 0 else { continue }
      handle(
        readable: ready & POLLIN != 0, writable: ready & POLLOUT != 0,
        hungUp: ready & (POLLHUP | POLLERR) != 0)
    }
    return unsentByteCount
  }

  private static let drainInterval = Duration.milliseconds(5)

  /// The corresponding C function is `poll`.
  ///
  /// - Returns: the events for which the descriptor is ready; 0 for none.
  private static func poll(
    _ descriptor: FileDescriptor, for interest: Interest, atMost limit: Duration
  ) -> CInt {
    let events =
      (interest.contains(.reading) ? POLLIN : 0) | (interest.contains(.writing) ? POLLOUT : 0)
    var request = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
    let milliseconds = max(1, min(limit.nanoseconds / 1_000_000, Int64(CInt.max)))
    return Glibc.poll(&request, 1, CInt(milliseconds)) > 0 ? CInt(request.revents) : 0
  }
}
