import EventLoop
import Posix
import SerialCore

/// Waits until the driver has sent all that a session was given, or it is in vain.
final class Drain {
  /// When waiting is in vain.
  struct Patience {
    /// How long all of it may take.
    let total: Duration
    /// How long nothing may move: a device that holds us, or is not there, is not waited for.
    let standstill = Duration.milliseconds(300)
  }

  private let session: Session
  private let loop: EventLoop
  private let patience: Patience?
  private let done: (Int) -> Void
  private let start = MonotonicTime.now
  private var lastProgress = MonotonicTime.now
  private var lastCount: Int
  private var timer: Timer?

  /// The kernel has no event for a driver that has sent everything: it is asked, ever less often
  /// while nothing moves.
  private var interval = shortestInterval
  private static let shortestInterval = Duration.milliseconds(2)
  private static let longestInterval = Duration.milliseconds(50)

  /// Starts waiting.
  ///
  /// - Parameters:
  ///   - patience: nil to wait as long as it takes, also for a lost device.
  ///   - done: called in a turn of the loop, or at once, with the number of bytes left unsent.
  init(
    _ session: Session, on loop: EventLoop, patience: Patience?, done: @escaping (Int) -> Void
  ) {
    self.session = session
    self.loop = loop
    self.patience = patience
    self.done = done
    lastCount = session.unsentByteCount
    look()
  }

  private func look() {
    let now = MonotonicTime.now
    let count = session.unsentByteCount
    if count == 0 || isInVain(at: now) { return done(count) }
    interval = min(interval * 2, Self.longestInterval)
    if count != lastCount {
      (lastCount, lastProgress) = (count, now)
      interval = Self.shortestInterval
    }
    timer = loop.schedule(after: interval) { [unowned self] in look() }
  }

  private func isInVain(at now: MonotonicTime) -> Bool {
    guard let patience else { return false }
    return !session.state.isOpen || now - start >= patience.total
      || now - lastProgress >= patience.standstill
  }
}
