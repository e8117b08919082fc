import EventLoop
import SerialCore

/// Has a session look at its modem lines ten times a second while somebody sees them, and never
/// otherwise. Nothing tells of their changes but asking, or a thread that stands in the kernel: see
/// docs/line-control.md for what each costs.
final class ModemLineWatch: SessionObserver {
  /// Whether somebody sees the lines.
  var isWatched = false {
    didSet { followState() }
  }

  private let session: Session
  private let loop: EventLoop
  private var timer: Timer?

  private static let interval = Duration.milliseconds(100)

  init(_ session: Session, on loop: EventLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
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
