import Glibc
import Posix
import SystemPackage

/// A shell command whose standard input and output are pipes to this process.
final class PipedChild {
  /// The reading end of its output; non-blocking.
  let output: OwnedDescriptor
  private var input: OwnedDescriptor?
  private let pid: pid_t
  private var hasEnded = false

  private let leadsGroup: Bool

  /// Starts `/bin/sh -c COMMAND`. The corresponding C function is `posix_spawn`.
  ///
  /// - Parameter isFilter: Whether its standard error joins its output, and whether it gets a process
  ///   group of its own, so that signals also reach its children.
  /// - Throws: the errors of pipe(2) and posix_spawn(3).
  init(_ command: String, isFilter: Bool = false) throws(Errno) {
    leadsGroup = isFilter
    let toChild = try Pipe()
    let fromChild = try Pipe()
    pid = try Self.spawn(
      command, input: toChild.reading.borrowed, output: fromChild.writing.borrowed,
      isFilter: isFilter)
    // Only these ends: programs expect their own to block.
    for end in [toChild.writing.borrowed, fromChild.reading.borrowed] {
      _ = fcntl(end.rawValue, F_SETFL, fcntl(end.rawValue, F_GETFL) | O_NONBLOCK)
    }
    input = .some(toChild.takeWriting())
    output = fromChild.takeReading()
  }

  /// The writing end of its input; nil once closed.
  var inputDescriptor: FileDescriptor? { input?.borrowed }

  /// Closes its input.
  func closeInput() { input = nil }

  /// Its exit status; nil while it runs. The corresponding C function is `waitpid`.
  func status() -> ExitStatus? {
    var status: CInt = 0
    guard !hasEnded, waitpid(pid, &status, WNOHANG) == pid else { return nil }
    hasEnded = true
    return ExitStatus(waitStatus: status)
  }

  /// Sends it a signal, if it still runs.
  func end(_ signal: CInt) {
    if !hasEnded { kill(leadsGroup ? -pid : pid, signal) }
  }

  /// Both ends of a pipe, close-on-exec. The corresponding C function is `pipe`.
  private struct Pipe: ~Copyable {
    let reading: OwnedDescriptor
    let writing: OwnedDescriptor

    init() throws(Errno) {
      var ends: [CInt] = [-1, -1]
      try systemCall { Glibc.pipe(&ends) }
      // No other thread of this process starts programs, so none can inherit the ends before this.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = OwnedDescriptor(FileDescriptor(rawValue: ends[0]))
      writing = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
    }

    /// Takes one end; the other one is closed.
    consuming func takeReading() -> OwnedDescriptor { reading }
    consuming func takeWriting() -> OwnedDescriptor { writing }
  }

  private static func spawn(
    _ command: String, input: FileDescriptor, output: FileDescriptor, isFilter: Bool
  ) throws(Errno) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.rawValue, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, output.rawValue, STDOUT_FILENO)
    if isFilter {
      posix_spawn_file_actions_adddup2(&actions, output.rawValue, STDERR_FILENO)
    }
    // The child gets the default signal mask, and default actions for the signals ignored here.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, defaults) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&defaults)
    for number in ExitStatus.ignoredSignals { sigaddset(&defaults, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    let group = isFilter ? POSIX_SPAWN_SETPGROUP : 0
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group))
    var arguments = ["sh", "-c", command].map { (word: String) in strdup(word) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var pid: pid_t = 0
    // It returns the error and does not set errno.
    let error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    return pid
  }
}
