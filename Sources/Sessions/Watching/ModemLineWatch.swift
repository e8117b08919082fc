package import EventLoop
import Observing
package import SerialCore

/// Reads the modem lines ten times a second while they are shown, and never otherwise. Changes can
/// only be found by polling, or by a thread that blocks in the kernel: docs/line-control.md lists
/// the cost of each.
package final class ModemLineWatch {
  /// Whether the lines are shown.
  package var isWatched = false {
    didSet { update() }
  }

  private let session: Session
  private var changes: [ObservationToken<SessionEvent>] = []
  private let loop: IOLoop
  private var timer: LoopTimer?

  private let interval: Duration

  package init(
    _ session: Session, on loop: IOLoop, interval: Duration = .milliseconds(100)
  ) {
    (self.session, self.loop, self.interval) = (session, loop, interval)
    changes = [
      session.observe(.stateChange) { [unowned self] _ in update() },
      session.observe(.capabilitiesChange) { [unowned self] _ in update() },
    ]
  }

  /// Starts or stops to read the lines.
  private func update() {
    guard isWatched && session.modemLines != nil else { return timer = nil }
    if timer == nil { lookLater() }
  }

  private func lookLater() {
    timer = loop.schedule(after: interval) { [unowned self] in
      lookLater()
      session.refreshModemLines()
    }
  }
}
