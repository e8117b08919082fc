import EventLoop
import Posix

/// Work on another thread passes it when the test opens it.
final class Gate: Sendable {
  private let isOpen = Guarded(false)

  func open() { isOpen.withLock { $0 = true } }
  func pass() { _ = isOpen.wait(until: nil) { $0 } }
}

extension IOLoop {
  /// Turns until something has happened. A test whose event does not come is ended by the limit of
  /// the whole run.
  func turn(until isDone: () -> Bool) throws {
    while !isDone() { try turn() }
  }
}
