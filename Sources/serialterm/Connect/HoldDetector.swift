import EventLoop
import SerialCore

/// Notices that bytes wait and the driver takes none: the device holds us, by XOFF or by CTS.
final class HoldDetector: SessionObserver {
  /// Called when a hold begins (true) and when it ends (false).
  var onChange: (Bool) -> Void = { _ in }

  private unowned let session: Session
  private let loop: EventLoop
  private var timer: Timer?
  private var isHeld = false
  private var hasMoved = false
  private var unsentCount = 0

  /// How long nothing may move before it counts. What the driver has taken and sends on is movement
  /// too: it asks for more only when almost all of that has gone.
  private static let standstill = Duration.milliseconds(500)

  init(_ session: Session, on loop: EventLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self)
  }

  func session(_ session: Session, didSend bytes: RawSpan) {
    hasMoved = true
    if isHeld {
      set(false)
      if session.interest.contains(.writing) { watch() }
    }
  }

  func session(
    _ session: Session, didChangeInterestFrom old: Session.Interest, to new: Session.Interest
  ) {
    if new.contains(.writing) {
      if timer == nil && !isHeld { watch() }
    } else {
      timer = nil
      set(false)
    }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}

  private func watch() {
    hasMoved = false
    unsentCount = session.unsentByteCount
    timer = loop.schedule(after: Self.standstill) { [unowned self] in
      timer = nil
      if hasMoved || session.unsentByteCount < unsentCount { watch() } else { set(true) }
    }
  }

  private func set(_ held: Bool) {
    guard isHeld != held else { return }
    isHeld = held
    onChange(held)
  }
}
