import Posix
public import SystemPackage

/// Ends the wait of a loop from any thread.
///
/// After ``wake()``, the present turn of the loop, or else the next one, does not wait. Programs
/// put work for the loop into a place that both threads may access, and wake the loop.
public final class LoopWaker: Sendable {
  private let pipe: WakePipe

  fileprivate init() throws(Errno) { pipe = try WakePipe() }

  /// Ends the wait. Several calls before the loop runs count as one.
  public func wake() { pipe.wake() }

  fileprivate var reader: FileDescriptor { pipe.reader }
  fileprivate func clear() { pipe.clear() }
}

extension IOLoop {
  /// Creates a waker. The loop keeps its watch; it lasts as long as the loop.
  ///
  /// - Throws: the errors of pipe(2) and epoll_ctl(2).
  public func makeWaker() throws(Errno) -> LoopWaker {
    let waker = try LoopWaker()
    keep(try watch(waker.reader, for: .reading) { _ in waker.clear() })
    return waker
  }
}
