import Glibc

/// A state that two threads share: looked at and changed by one at a time, and waited for.
///
/// The corresponding C types are `pthread_mutex_t` and `pthread_cond_t`.
public final class Guarded<State: Sendable>: @unchecked Sendable {
  // Nothing but the methods below touches the state, and these hold the mutex.
  private var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  public init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    // By the clock that nobody sets, as all our deadlines are.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Looks at the state, or changes it; whoever waits looks again.
  public func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until the state is as wished.
  ///
  /// - Parameter deadline: when to stop waiting; nil for never.
  /// - Returns: whether it is.
  @discardableResult
  public func wait(until deadline: MonotonicTime?, for condition: (State) -> Bool) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !condition(state) {
      guard let deadline else {
        pthread_cond_wait(changed, mutex)
        continue
      }
      guard deadline > .now else { return false }
      var time = timespec(
        tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
        tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
      pthread_cond_timedwait(changed, mutex, &time)
    }
    return true
  }
}
