package import Glibc
package import SystemPackage

/// Programs that this process starts. See posix_spawn(3) and wait(2).
package enum ChildProcess {
  /// The signals that the program ignores, because write(2) reports the same condition as an error:
  /// a closed reader (`EPIPE`), a file at its size limit (`EFBIG`, see setrlimit(2)). Child
  /// processes get the default actions.
  package static let ignoredSignals = [SIGPIPE, SIGXFSZ]

  /// The source or destination of a standard stream.
  package enum Stream {
    /// The stream of this process.
    case inherited
    /// `/dev/null`.
    case null
    /// A descriptor of this process.
    case descriptor(FileDescriptor)
    /// For standard error: the program's standard output.
    case output
  }

  /// The group that a program leads, so that signals also reach its children.
  package enum Leading {
    case nothing
    /// A process group.
    case group
    /// A session: it cannot use the user's terminal.
    case session
  }

  /// The streams, the group, the signals and the environment of a program.
  package struct Plan {
    package var input = Stream.inherited
    package var output = Stream.inherited
    package var errors = Stream.inherited
    package var leads = Leading.nothing
    /// The signals that get their default actions, although this process may ignore them.
    package var defaultSignals: sigset_t
    /// The blocked signals.
    package var mask = sigset_t([])
    /// Variables as `NAME=VALUE`; nil for the environment of this process.
    package var environment: [String]?

    package init(defaultSignals: sigset_t) { self.defaultSignals = defaultSignals }
  }

  /// Starts a program, searched along `PATH` if its name has no slash. The corresponding C
  /// function is `posix_spawnp`.
  ///
  /// SIGCHLD gets its default action in this process: if it were ignored, a program that ends would
  /// leave no status.
  ///
  /// - Parameters:
  ///   - words: its name and arguments, at least one.
  ///   - path: its file; nil to search for its name.
  /// - Throws: the errors of posix_spawnp(3).
  package static func start(
    _ words: [String], at path: String? = nil, _ plan: Plan
  ) throws(Errno) -> pid_t {
    signal(SIGCHLD, SIG_DFL)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    lead(STDIN_FILENO, plan.input, O_RDONLY, &actions)
    lead(STDOUT_FILENO, plan.output, O_WRONLY, &actions)
    lead(STDERR_FILENO, plan.errors, O_WRONLY, &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (mask, defaults) = (plan.mask, plan.defaultSignals)
    posix_spawnattr_setsigmask(&attributes, &mask)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let leading: CInt =
      switch plan.leads {
      case .nothing: 0
      case .group: CInt(POSIX_SPAWN_SETPGROUP)
      case .session: setSession
      }
    posix_spawnattr_setflags(
      &attributes, Int16(CInt(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) | leading))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let file = path ?? words[0]
    var pid: pid_t = 0
    // posix_spawnp returns the error and does not set errno.
    let error: CInt
    if let environment = plan.environment {
      var variables = environment.map { strdup($0) } + [nil]
      defer { for variable in variables { free(variable) } }
      error = posix_spawnp(&pid, file, &actions, &attributes, &arguments, &variables)
    } else {
      error = posix_spawnp(&pid, file, &actions, &attributes, &arguments, environ)
    }
    guard error == 0 else { throw Errno(rawValue: error) }
    return pid
  }

  /// Blocks until a program has ended. Its status is kept, so that no other process gets this
  /// process ID before the status is taken. The corresponding C function is `waitid`.
  package static func waitForEnd(of pid: pid_t) {
    var info = siginfo_t()
    while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
  }

  /// Whether a program has ended and its status was not taken. The corresponding C function is
  /// `waitid`.
  static func hasEnded(_ pid: pid_t) -> Bool {
    var info = siginfo_t()
    // Without an end, the structure stays as it is.
    return waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT | WNOHANG) == 0
      && info.si_signo == SIGCHLD
  }

  /// How a program has ended.
  package enum End: Hashable, Sendable {
    case status(CInt)
    case signal(CInt)

    /// Converts a status of wait(2).
    package init(waitStatus status: CInt) {
      // These are WIFEXITED, WEXITSTATUS and WTERMSIG, which are macros; see <bits/waitstatus.h>.
      let signal = status & 0x7F
      self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
    }
  }

  /// POSIX_SPAWN_SETSID of <spawn.h>.
  private static let setSession: CInt = 0x80

  private static func lead(
    _ stream: CInt, _ end: Stream, _ flags: CInt, _ actions: inout posix_spawn_file_actions_t
  ) {
    switch end {
    case .inherited: break
    case .null: posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", flags, 0)
    case .descriptor(let end): posix_spawn_file_actions_adddup2(&actions, end.rawValue, stream)
    case .output: posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, stream)
    }
  }
}

extension sigset_t {
  package init(_ signals: [CInt]) {
    self.init()
    sigemptyset(&self)
    for signal in signals { sigaddset(&self, signal) }
  }

  /// Every signal.
  package static var all: sigset_t {
    var all = sigset_t()
    sigfillset(&all)
    return all
  }
}
