import EventLoop

/// Sends the size of the window after it has changed: once, when the window is still and nothing else is being
/// sent.
final class SizeFollower {
  /// Sends the size if it differs from what was sent. Returns whether something is in the way, so that it has
  /// to be tried again.
  var attempt: () -> Bool = { false }

  private let loop: IOLoop
  private var timer: LoopTimer?

  /// How long the window has to be still: a window that is dragged changes with each step.
  static let pause = Duration.milliseconds(300)

  init(on loop: IOLoop) { self.loop = loop }

  /// The window has another size.
  func sizeDidChange() {
    timer = loop.schedule(after: Self.pause) { [unowned self] in
      timer = nil
      if attempt() { sizeDidChange() }
    }
  }

  /// The size may have changed: unlike ``sizeDidChange()``, this does not put the attempt off.
  func sizeMayHaveChanged() {
    if timer == nil { sizeDidChange() }
  }
}
