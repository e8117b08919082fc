package import EventLoop
import Observing
package import SerialCore

/// Reads the driver's error counters shortly after bytes arrive, at most ten times a second: errors
/// and breaks arrive together with bytes. Without bytes, nothing wakes the process.
package final class CounterWatch {
  private let loop: IOLoop
  private var observations: [ObservationToken<SessionEvent>] = []
  private var timer: LoopTimer?

  private static let interval = Duration.milliseconds(100)

  package init(_ session: Session, on loop: IOLoop) {
    self.loop = loop
    observations = [
      session.observe(.stateChange) { [unowned self] in if !$0.new.isOpen { timer = nil } },
      session.observe(.received) { [unowned self, unowned session] _ in lookLater(session) },
    ]
  }

  private func lookLater(_ session: Session) {
    guard timer == nil && session.counters != nil else { return }
    timer = loop.schedule(after: Self.interval) { [unowned self, unowned session] in
      timer = nil
      session.refreshCounters()
    }
  }
}
