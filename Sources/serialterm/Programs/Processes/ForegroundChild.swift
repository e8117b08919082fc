import Glibc
import Posix
import SystemPackage

/// A child process with the standard streams and the terminal of this process.
struct ForegroundChild {
  private let pid: pid_t
  private let signals: sigset_t

  /// Starts a program, searched along `PATH`. The corresponding C function is `posix_spawnp`.
  ///
  /// The terminal sends SIGINT and SIGQUIT to both processes. From now on only the child acts on
  /// them, as with system(3). If they were ignored before, the child ignores them too.
  ///
  /// - Parameter words: its name and arguments, at least one.
  /// - Throws: `Errno` of posix_spawnp(3).
  init(_ words: [String]) throws(Errno) {
    // This program always ignores SIGPIPE, and the other two signals from now on.
    var plan = ChildProcess.Plan(
      defaultSignals: sigset_t(
        ChildProcess.ignoredSignals + [SIGINT, SIGQUIT].filter(Self.ignore)))
    signals = sigset_t([SIGCHLD, SIGTERM, SIGHUP])
    var blocked = signals
    try systemCall { sigprocmask(SIG_BLOCK, &blocked, &plan.mask) }
    pid = try ChildProcess.start(words, plan)
  }

  /// Waits until the child ends. SIGTERM and SIGHUP are forwarded to it: if this process ended
  /// first, the session would take the port back while the child uses it.
  ///
  /// - Throws: `Errno` of waitpid(2).
  func wait() throws(Errno) -> ExitStatus {
    var signals = signals
    while true {
      var status: CInt = 0
      if try systemCall({ waitpid(pid, &status, WNOHANG) }) == pid {
        return ExitStatus(ChildProcess.End(waitStatus: status))
      }
      let signal = try systemCall { sigwaitinfo(&signals, nil) }
      if signal != SIGCHLD { kill(pid, signal) }
    }
  }

  /// Ignores a signal from now on.
  ///
  /// - Returns: whether it was not ignored before.
  private static func ignore(_ number: CInt) -> Bool {
    let before = unsafeBitCast(signal(number, SIG_IGN), to: UInt.self)
    return before != unsafeBitCast(SIG_IGN, to: UInt.self)
  }
}

extension ExitStatus {
  /// The status that a shell has after the end of a command.
  init(_ end: ChildProcess.End) {
    self =
      switch end {
      case .status(let code): .command(code)
      case .signal(let number): .signal(number)
      }
  }
}
