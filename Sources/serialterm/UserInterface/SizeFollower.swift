import EventLoop

/// Sends the size of the window after it has changed: once, when the window has been still for a moment and nothing
/// else is being sent.
final class SizeFollower {
  /// Sends the size if it differs from the one that was sent. Returns whether something prevents this for now, so
  /// that it must be tried again.
  var attempt: () -> Bool = { false }

  private let loop: IOLoop
  private var timer: LoopTimer?

  /// The time for which the window must be still: a window that is being dragged changes at each step.
  static let pause = Duration.milliseconds(300)

  init(on loop: IOLoop) { self.loop = loop }

  /// Handles a change of the window's size.
  func sizeDidChange() {
    timer = loop.schedule(after: Self.pause) { [unowned self] in
      timer = nil
      if attempt() { sizeDidChange() }
    }
  }

  /// Handles a possible change of the size. Unlike ``sizeDidChange()``, it does not delay a pending attempt.
  func sizeMayHaveChanged() {
    if timer == nil { sizeDidChange() }
  }
}
