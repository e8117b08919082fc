import EventLoop
import SerialCore

/// Notices that bytes wait and the driver takes none: the device holds us, by XOFF or by CTS.
final class HoldDetector: SessionObserver {
  /// Called when a hold begins (true) and when it ends (false).
  var onChange: (Bool) -> Void = { _ in }

  private let loop: EventLoop
  private var timer: Timer?
  private var isHeld = false
  private var hasMoved = false

  /// How long nothing may move before it counts: longer than any driver needs for what it has
  /// taken already, at common speeds.
  private static let standstill = Duration.milliseconds(500)

  init(_ session: Session, on loop: EventLoop) {
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
    timer = loop.schedule(after: Self.standstill) { [unowned self] in
      timer = nil
      if hasMoved { watch() } else { set(true) }
    }
  }

  private func set(_ held: Bool) {
    guard isHeld != held else { return }
    isHeld = held
    onChange(held)
  }
}
