import Posix
package import SystemPackage

/// Work on a separate thread, because a disk or server may answer late or never. Release this
/// object to give up: the thread then ends by itself, and its result is not used.
package final class BackgroundWork<Value: Sendable> {
  private var watch: DescriptorWatch?

  /// Starts the work.
  ///
  /// - Parameter onResult: called once, in a turn of the loop.
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  package init(
    on loop: IOLoop, _ work: @escaping @Sendable () -> Value, onResult: @escaping (Value) -> Void
  ) throws(Errno) {
    let (result, pipe) = (Guarded<Value?>(nil), try WakePipe())
    watch = try loop.watch(pipe.reader, for: .reading) { [unowned self] _ in
      watch?.cancel()
      watch = nil
      // Keeps the pipe alive until here.
      _ = pipe
      if let value = result.withLock({ $0 }) { onResult(value) }
    }
    do throws(Errno) {
      try DetachedThread.run {
        let value = work()
        result.withLock { $0 = value }
        pipe.wake()
      }
    } catch {
      watch?.cancel()
      watch = nil
      throw error
    }
  }

  deinit { watch?.cancel() }
}
