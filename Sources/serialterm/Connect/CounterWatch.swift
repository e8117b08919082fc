import EventLoop
import SerialCore

/// Has a session look at what its driver has counted, a moment after bytes came and at most ten
/// times a second: errors come with bytes, and breaks do. Nothing wakes while no byte comes.
final class CounterWatch: SessionObserver {
  private let loop: EventLoop
  private var timer: Timer?

  private static let interval = Duration.milliseconds(100)

  init(_ session: Session, on loop: EventLoop) {
    self.loop = loop
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if !new.isOpen { timer = nil }
  }

  func session(_ session: Session, didReceive bytes: RawSpan) {
    guard timer == nil && session.counters != nil else { return }
    timer = loop.schedule(after: Self.interval) { [unowned self, unowned session] in
      timer = nil
      session.refreshCounters()
    }
  }
}
