import Glibc
import Posix
import SystemPackage

/// A child process with the standard streams and the terminal of this process.
struct ForegroundChild {
  private let pid: pid_t
  private let signals: sigset_t

  /// Starts a program, searched along `PATH`. The corresponding C function is `posix_spawnp`.
  ///
  /// The terminal sends SIGINT and SIGQUIT to both processes. From now on only the child acts on them, as with
  /// system(3). If they were ignored before, the child ignores them too.
  ///
  /// - Parameter words: its name and arguments, at least one.
  /// - Throws: `Errno` of posix_spawnp(3).
  init(_ words: [String]) throws(Errno) {
    // This program always ignores SIGPIPE, and the other two signals from now on.
    let defaults = Self.set(
      ExitStatus.ignoredSignals + [SIGINT, SIGQUIT].filter(Self.ignore))
    // If SIGCHLD were ignored, a child that ends would leave no status.
    signal(SIGCHLD, SIG_DFL)
    signals = Self.set([SIGCHLD, SIGTERM, SIGHUP])
    var mask = sigset_t()
    var blocked = signals
    try systemCall { sigprocmask(SIG_BLOCK, &blocked, &mask) }
    pid = try Self.spawn(words, defaults: defaults, mask: mask)
  }

  private static func spawn(
    _ words: [String], defaults: sigset_t, mask: sigset_t
  ) throws(Errno) -> pid_t {
    var (defaults, mask) = (defaults, mask)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setsigmask(&attributes, &mask)
    let flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    // posix_spawnp returns the error and does not set errno.
    let error = posix_spawnp(&pid, words[0], nil, &attributes, &arguments, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    return pid
  }

  /// Waits until the child ends. SIGTERM and SIGHUP are forwarded to it: if this process ended first, the session
  /// would take the port back while the child uses it.
  ///
  /// - Throws: `Errno` of waitpid(2).
  func wait() throws(Errno) -> ExitStatus {
    var signals = signals
    while true {
      var status: CInt = 0
      if try systemCall({ waitpid(pid, &status, WNOHANG) }) == pid {
        return ExitStatus(waitStatus: status)
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

  private static func set(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}

extension ExitStatus {
  /// Converts a status of wait(2) in the same way as a shell.
  init(waitStatus status: CInt) {
    // These are WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros; see <bits/waitstatus.h>.
    let signal = status & 0x7F
    self = signal == 0 ? .command(status >> 8 & 0xFF) : .signal(signal)
  }
}
