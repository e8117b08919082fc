import Glibc
package import Time

/// State shared by threads, protected by a mutex, with a condition variable to wait for changes.
///
/// The corresponding C types are `pthread_mutex_t` and `pthread_cond_t`.
package final class Guarded<State: Sendable>: @unchecked Sendable {
  // Only the methods below access the state, and they hold the mutex.
  private var state: State
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    // Deadlines use the monotonic clock; the default of a condition variable is the wall clock.
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

  /// Reads or changes the state, and wakes the threads that wait for a change.
  package func withLock<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until the state satisfies a condition.
  ///
  /// - Parameter deadline: the end of the wait; nil for no limit.
  /// - Returns: whether the state satisfies the condition.
  @discardableResult
  package func wait(until deadline: MonotonicTime?, for condition: (State) -> Bool) -> Bool {
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
