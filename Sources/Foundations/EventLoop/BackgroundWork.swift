import Posix
package import SystemPackage
import Time

/// Work on a separate thread, because a disk or server may answer late or never. Release this
/// object to give up: the thread then ends by itself, and its result is not used.
package final class BackgroundWork<Value: Sendable> {
  private struct State: Sendable {
    var value: Value?
    var isOver = false
  }

  private let state = Guarded(State())
  private var watch: DescriptorWatch?

  /// Starts the work.
  ///
  /// - Parameters:
  ///   - work: called on the thread; its argument tells it whether its result is still wanted.
  ///   - onResult: called once, in a turn of the loop. It may release this object.
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  package init(
    on loop: IOLoop, _ work: @escaping @Sendable (@escaping Worker.IsOver) -> Value,
    onResult: @escaping (Value) -> Void
  ) throws(Errno) {
    let (state, pipe) = (state, try WakePipe())
    watch = try loop.watch(pipe.reader, for: .reading) { [unowned self] _ in
      // Keeps the pipe alive until here.
      _ = pipe
      watch = nil
      if let value = state.withLock({ $0.value }) { onResult(value) }
    }
    do throws(Errno) {
      try DetachedThread.run {
        let value = work { state.withLock { $0.isOver } }
        state.withLock { $0.value = value }
        pipe.wake()
      }
    } catch {
      watch = nil
      throw error
    }
  }

  deinit { state.withLock { $0.isOver = true } }

  /// Waits for the result, up to a limit. Release this object if there is one: otherwise the
  /// result comes again, in a turn of the loop.
  package func result(within limit: Duration) -> Value? {
    state.wait(until: .now + limit) { $0.value != nil }
    return state.withLock { $0.value }
  }
}
