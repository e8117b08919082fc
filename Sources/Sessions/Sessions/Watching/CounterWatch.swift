package import EventLoop
package import SerialCore

/// Reads the driver's error counters shortly after bytes arrive, at most ten times a second: errors and breaks arrive
/// together with bytes. Without bytes, nothing wakes the process.
package final class CounterWatch: SessionObserver {
  private let loop: IOLoop
  private var timer: LoopTimer?

  private static let interval = Duration.milliseconds(100)

  package init(_ session: Session, on loop: IOLoop) {
    self.loop = loop
    session.addObserver(self, of: [.stateChange, .received])
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    if !new.isOpen { timer = nil }
  }

  package func session(_ session: Session, didReceive bytes: RawSpan) {
    guard timer == nil && session.counters != nil else { return }
    timer = loop.schedule(after: Self.interval) { [unowned self, unowned session] in
      timer = nil
      session.refreshCounters()
    }
  }
}
