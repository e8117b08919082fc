import EventLoop
import Observing
import SerialCore

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
  private var lastCount = Int.max
  private var hasMoved = false
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
    sent = session.observe(.sent) { [unowned self] _ in hasMoved = true }
    look()
  }

  /// Calls `onStandstill` as its last act, because that may release this object.
  private func look() {
    let count = session.unsentByteCount
    // It is also progress when the driver's own queue becomes shorter: the driver asks for more
    // only when almost all of it is sent.
    guard count == 0 || hasMoved || count < lastCount || isExcused else { return onStandstill() }
    (lastCount, hasMoved) = (count, false)
    timer = loop.schedule(after: limit) { [unowned self] in look() }
  }

  private var isExcused: Bool { isOfAnswers && session.pacer?.isAwaitingAnswer != true }
}
