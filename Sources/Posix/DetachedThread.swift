import Glibc
public import SystemPackage

/// Starts a thread that ends when its work does, and is waited for by nobody.
public enum DetachedThread {
  /// The work needs little, and what limits a process (`ulimit -v`) counts a stack in full.
  private static let stackSize = 512 * 1_024

  /// The signals that the kernel raises for what a thread itself did. They must not be blocked: the
  /// handler that restores the user's terminal would not be called.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Runs work on a new thread that hears no signals: they are the session's.
  ///
  /// The corresponding C function is `pthread_create`.
  ///
  /// - Parameter work: what to do; whatever it uses, nothing else may have from now on.
  /// - Throws: `EAGAIN` when there are too many threads, or no memory for one.
  public static func run(_ work: sending @escaping () -> Void) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)

    // A thread begins with the signals blocked that its creator has blocked.
    var (blocked, before) = (sigset_t(), sigset_t())
    sigfillset(&blocked)
    for signal in crashes { sigdelset(&blocked, signal) }
    pthread_sigmask(SIG_SETMASK, &blocked, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    let context = Unmanaged.passRetained(Work(work))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard error == 0 else {
      context.release()
      throw Errno(rawValue: error)
    }
  }

  /// Work on its way to the thread.
  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
}
