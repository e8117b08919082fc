import Glibc
import Posix
import SystemPackage

/// A shell command that runs with pipes to us in place of its standard input and output.
final class PipedChild {
  /// What it writes; non-blocking.
  let output: OwnedDescriptor
  private var input: OwnedDescriptor?
  private let pid: pid_t
  private var hasEnded = false

  private let leadsGroup: Bool

  /// Starts `/bin/sh -c COMMAND`. The corresponding C function is `posix_spawn`.
  ///
  /// - Parameter isFilter: whether its standard error goes the way of its output, and signals to it
  ///   reach all that it has started: it has a process group of its own.
  /// - Throws: what pipe(2) and posix_spawn(3) say.
  init(_ command: String, isFilter: Bool = false) throws(Errno) {
    leadsGroup = isFilter
    let toChild = try Pipe()
    let fromChild = try Pipe()
    pid = try Self.spawn(
      command, input: toChild.reading.borrowed, output: fromChild.writing.borrowed,
      isFilter: isFilter)
    // The flag belongs to our end: the child's ends stay as programs expect them.
    for end in [toChild.writing.borrowed, fromChild.reading.borrowed] {
      _ = fcntl(end.rawValue, F_SETFL, fcntl(end.rawValue, F_GETFL) | O_NONBLOCK)
    }
    input = .some(toChild.takeWriting())
    output = fromChild.takeReading()
  }

  /// Where it reads; nil when that was closed.
  var inputDescriptor: FileDescriptor? { input?.borrowed }

  /// Ends its input.
  func closeInput() { input = nil }

  /// How it ended; nil while it runs. See waitpid(2).
  func status() -> ExitStatus? {
    var status: CInt = 0
    guard !hasEnded, waitpid(pid, &status, WNOHANG) == pid else { return nil }
    hasEnded = true
    return ExitStatus(waitStatus: status)
  }

  /// Tells it to end, if it still runs.
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
      // Nobody else starts a program between these lines: the other threads never do.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = OwnedDescriptor(FileDescriptor(rawValue: ends[0]))
      writing = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
    }

    /// One end, without the other, which is closed.
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
    // What we hear in the loop, and what the program's root ignores, is the child's as usual.
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
    // It returns its error, and leaves errno alone.
    let error = posix_spawn(&pid, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard error == 0 else { throw Errno(rawValue: error) }
    return pid
  }
}
