import EventLoop
import Observing
import SerialCore
import Time

/// Detects that sending makes no progress, neither in the queue nor in the driver.
///
/// It can be limited to one cause: an answer that paced sending waits for does not come. A device
/// that takes no bytes may do so for any time then.
final class StandstillWatch {
  private let session: Session
  private var sent: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private let limit: Duration
  private let isOfAnswers: Bool
  private let onStandstill: () -> Void
  /// The number of bytes in the driver when this was last looked at.
  private var driverCount = 0
  private var lastProgress: MonotonicTime
  private var timer: LoopTimer?

  /// Starts watching.
  ///
  /// - Parameters:
  ///   - limit: the time without progress after which `onStandstill` is called.
  ///   - isOfAnswers: whether only a wait for an answer of the device counts.
  init(
    _ session: Session, on loop: IOLoop, limit: Duration, isOfAnswers: Bool = false,
    onStandstill: @escaping () -> Void
  ) {
    self.session = session
    self.loop = loop
    self.limit = limit
    self.isOfAnswers = isOfAnswers
    self.onStandstill = onStandstill
    lastProgress = loop.now
    sent = session.observe(.sent) { [unowned self] _ in lastProgress = loop.now }
    look()
  }

  /// Calls `onStandstill` as its last act, because that may release this object.
  private func look() {
    let count = session.unsentByteCount - session.queuedByteCount
    // It is also progress when the driver's own queue becomes shorter: the driver asks for more
    // only when almost all of it is sent. When that was is not known.
    if session.unsentByteCount == 0 || count < driverCount || isExcused { lastProgress = loop.now }
    driverCount = count
    let due = lastProgress + limit
    guard due > loop.now else { return onStandstill() }
    timer = loop.schedule(after: due - loop.now) { [unowned self] in look() }
  }

  private var isExcused: Bool { isOfAnswers && session.pacer?.isAwaitingAnswer != true }
}
