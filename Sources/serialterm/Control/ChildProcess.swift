import Glibc
import Posix
import SystemPackage

/// A program that is run in our place: with our standard streams, at our terminal.
struct ChildProcess {
  private let pid: pid_t
  private let signals: sigset_t

  /// Starts a program, which is looked for along `PATH`. The corresponding C function is
  /// `posix_spawnp`.
  ///
  /// The keys that interrupt and quit reach it as they reach us, and are its to obey: we ignore
  /// them from here on, as system(3) does. A program that was told to ignore them still does.
  ///
  /// - Parameter words: its name and arguments, at least one.
  /// - Throws: what posix_spawnp(3) says.
  init(_ words: [String]) throws(Errno) {
    // What the program's root ignores, and what we ignore from here on.
    let defaults = Self.set(
      [SIGPIPE] + [SIGINT, SIGQUIT].filter(Self.ignore))
    // Ended children of one who ignores SIGCHLD leave no status.
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
    // It returns its error, and leaves errno alone.
    let error = posix_spawnp(&pid, words[0], nil, &attributes, &arguments, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    return pid
  }

  /// Waits for the end; who wants us to end before that (SIGTERM, SIGHUP) is passed on to the
  /// program: to end before it would give its port to somebody else.
  ///
  /// - Throws: what waitpid(2) says.
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

  /// Ignores a signal from here on.
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
  /// Reads what wait(2) tells of a process that has ended: as a shell shows it.
  init(waitStatus status: CInt) {
    // WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros; see <bits/waitstatus.h>.
    let signal = status & 0x7F
    self = signal == 0 ? .command(status >> 8 & 0xFF) : .signal(signal)
  }
}
