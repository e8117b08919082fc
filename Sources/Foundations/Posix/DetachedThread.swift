import Glibc
package import SystemPackage

/// Starts a thread that is never joined and ends with its work.
package enum DetachedThread {
  /// The size of a small stack in bytes, enough for system calls. `ulimit -v` counts
  /// the whole stack.
  package static let smallStack = 512 * 1_024

  /// The signals that the kernel sends to a thread for its own fault. They must stay unblocked, so
  /// that the handler that restores the user's terminal is called.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]

  /// Runs work on a new thread. The thread blocks all signals except those of a crash, because the
  /// session handles the others.
  ///
  /// The corresponding C function is `pthread_create`.
  ///
  /// - Parameters:
  ///   - stackSize: the size of the stack in bytes.
  ///   - work: the work, which takes ownership of everything that it captures.
  /// - Throws: `EAGAIN` if there are too many threads, or not enough memory for another one.
  package static func run(
    stackSize: Int = smallStack, _ work: sending @escaping () -> Void
  ) throws(Errno) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)

    // A thread inherits the signal mask of its creator.
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

  /// Work, boxed for the `void *` argument of the thread.
  private final class Work {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }
}
