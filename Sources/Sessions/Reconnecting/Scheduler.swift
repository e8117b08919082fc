package import EventLoop
package import Time

/// A clock and delayed calls, of a loop or of a test.
package struct Scheduler {
  /// The present time.
  package let now: () -> MonotonicTime
  private let schedule: (Duration, @escaping () -> Void) -> AnyObject

  /// Creates a scheduler.
  ///
  /// - Parameter schedule: calls a function once after a delay, as long as the
  ///   returned object exists.
  package init(
    now: @escaping () -> MonotonicTime,
    schedule: @escaping (Duration, @escaping () -> Void) -> AnyObject
  ) {
    self.now = now
    self.schedule = schedule
  }

  /// The clock and the timers of a loop.
  package init(_ loop: IOLoop) {
    self.init(now: { loop.now }, schedule: { loop.schedule(after: $0, $1) })
  }

  /// Calls a function once after a delay.
  ///
  /// - Returns: a token; releasing it cancels the call.
  package func schedule(after delay: Duration, _ work: @escaping () -> Void) -> AnyObject {
    schedule(delay, work)
  }
}
