package import EventLoop
package import SerialCore
import Time

/// Waits, within limits, until the driver has sent everything that was written to a session.
package final class Drain {
  /// The limits of waiting.
  package struct Patience {
    /// The longest time in total.
    package let total: Duration
    /// The longest time without progress, for a device that holds the line or is missing.
    package let standstill = Duration.milliseconds(300)

    package init(total: Duration) { self.total = total }
  }

  private let session: Session
  private let loop: IOLoop
  private let patience: Patience?
  private let done: () -> Void
  private let start: MonotonicTime
  private var lastProgress: MonotonicTime
  private var lastCount: Int
  private var timer: LoopTimer?

  /// The interval between two queries of the driver, because the kernel has no event for this. It
  /// grows while there is no progress.
  private var interval = shortestInterval
  private static let shortestInterval = Duration.milliseconds(2)
  private static let longestInterval = Duration.milliseconds(50)

  /// Starts waiting.
  ///
  /// - Parameters:
  ///   - patience: the limits; nil for no limit, even if the device is lost.
  ///   - done: called in a turn of the loop, or during this call. ``Session/unsentByteCount`` is
  ///     the number of bytes that were not sent.
  package init(
    _ session: Session, on loop: IOLoop, patience: Patience?, done: @escaping () -> Void
  ) {
    self.session = session
    self.loop = loop
    self.patience = patience
    self.done = done
    (start, lastProgress) = (loop.now, loop.now)
    lastCount = session.unsentByteCount
    look()
  }

  private func look() {
    let now = loop.now
    let count = session.unsentByteCount
    if count == 0 || isHopeless(at: now) { return done() }
    interval = min(interval * 2, Self.longestInterval)
    if count != lastCount {
      (lastCount, lastProgress) = (count, now)
      interval = Self.shortestInterval
    }
    timer = loop.schedule(after: interval) { [unowned self] in look() }
  }

  private func isHopeless(at now: MonotonicTime) -> Bool {
    guard let patience else { return false }
    return !session.state.isOpen || now - start >= patience.total
      || now - lastProgress >= patience.standstill
  }
}
