import EventLoop
import Observing
import SerialCore

/// Detects that sending makes no progress, neither in the queue nor in the driver.
final class StandstillWatch {
  private let session: Session
  private var sent: ObservationToken<SessionEvent>?
  private let loop: IOLoop
  private let limit: Duration
  private let onStandstill: () -> Void
  private var lastCount = Int.max
  private var hasMoved = false
  private var timer: LoopTimer?

  /// Starts watching.
  ///
  /// - Parameter limit: the time without progress after which `onStandstill` is called.
  init(
    _ session: Session, on loop: IOLoop, limit: Duration, onStandstill: @escaping () -> Void
  ) {
    self.session = session
    self.loop = loop
    self.limit = limit
    self.onStandstill = onStandstill
    sent = session.observe(.sent) { [unowned self] _ in hasMoved = true }
    look()
  }

  /// Calls `onStandstill` as its last act, because that may release this object.
  private func look() {
    let count = session.unsentByteCount
    // It is also progress when the driver's own queue becomes shorter: the driver asks for more
    // only when almost all of it is sent.
    guard count == 0 || hasMoved || count < lastCount else { return onStandstill() }
    (lastCount, hasMoved) = (count, false)
    timer = loop.schedule(after: limit) { [unowned self] in look() }
  }
}
