package import EventLoop
package import SerialCore

/// Reads the modem lines ten times a second while they are shown, and never otherwise. Changes can only be found by
/// polling, or by a thread that blocks in the kernel: docs/line-control.md lists the cost of each.
package final class ModemLineWatch: SessionObserver {
  /// Whether the lines are shown.
  package var isWatched = false {
    didSet { followState() }
  }

  private let session: Session
  private let loop: IOLoop
  private var timer: LoopTimer?

  private static let interval = Duration.milliseconds(100)

  package init(_ session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self, of: .stateChange)
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    followState()
  }

  private func followState() {
    guard isWatched && session.modemLines != nil else { return timer = nil }
    if timer == nil { lookLater() }
  }

  private func lookLater() {
    timer = loop.schedule(after: Self.interval) { [unowned self] in
      lookLater()
      session.refreshModemLines()
    }
  }
}
