import EventLoop
import Glibc
import Posix
import SystemPackage

/// A command whose standard streams are pipes to this process.
final class PipedChild {
  /// The destinations of a command's standard streams, and the receivers of its signals.
  struct Plan {
    /// The destination of its standard error.
    enum Errors {
      /// The standard error of this process.
      case inherited
      /// Its standard output.
      case joined
      /// A separate pipe.
      case piped
    }

    /// Whether its standard input and output are pipes; otherwise they are `/dev/null`.
    var talks = true
    var errors = Errors.inherited
    var leads = ChildProcess.Leading.nothing
    /// Whether it is killed when this process ends.
    var isGuarded = false
    /// Variables that are added to the environment.
    var environment: [(name: String, value: String)] = []
  }

  private var input: OwnedDescriptor?
  private var output: OwnedDescriptor?
  private var errors: OwnedDescriptor?
  private let program: RunningProgram
  private var watch: DescriptorWatch?
  /// Its exit status; nil while it runs, as far as this process knows.
  private(set) var knownStatus: ExitStatus?

  /// Starts `/bin/sh -c COMMAND`. The corresponding C function is `posix_spawn`.
  ///
  /// - Throws: the errors of pipe(2) and posix_spawn(3).
  convenience init(_ command: String, _ plan: Plan = Plan()) throws(Errno) {
    try self.init(words: ["sh", "-c", command], at: "/bin/sh", plan)
  }

  /// Starts a program without a shell. The corresponding C function is `posix_spawnp`.
  ///
  /// - Parameters:
  ///   - words: its name, which is searched along `PATH` if it has no slash, and its arguments.
  ///   - path: its file; nil to search for its name.
  /// - Throws: the errors of pipe(2) and posix_spawnp(3).
  init(words: [String], at path: String? = nil, _ plan: Plan = Plan()) throws(Errno) {
    let toChild = plan.talks ? try Pipe() : nil
    let fromChild = plan.talks ? try Pipe() : nil
    let errorsOfChild = plan.errors == .piped ? try Pipe() : nil
    program = try Self.start(
      words, path, plan, input: toChild?.readingEnd, output: fromChild?.writingEnd,
      errors: errorsOfChild?.writingEnd)
    input = toChild?.takeWriting()
    output = fromChild?.takeReading()
    errors = errorsOfChild?.takeReading()
    // Only the ends of this process: programs expect blocking streams.
    for end in [inputDescriptor, outputDescriptor, errorDescriptor].compactMap(\.self) {
      _ = fcntl(end.rawValue, F_SETFL, fcntl(end.rawValue, F_GETFL) | O_NONBLOCK)
    }
  }

  /// The write end of its standard input; nil once closed.
  var inputDescriptor: FileDescriptor? { input?.borrowed }

  /// The read end of its standard output; nil if it has none. Non-blocking.
  var outputDescriptor: FileDescriptor? { output?.borrowed }

  /// The read end of its standard error, if that is a pipe. Non-blocking.
  var errorDescriptor: FileDescriptor? { errors?.borrowed }

  /// Closes its standard input.
  func closeInput() { input = nil }

  /// The number of bytes of its input that it has not read yet.
  var unreadCount: Int {
    var count: CInt = 0
    if let inputDescriptor { _ = ioctl(inputDescriptor.rawValue, UInt(FIONREAD), &count) }
    return Int(count)
  }

  /// Calls a handler once, when the command has ended. This object is kept until then, so that
  /// no zombie remains.
  ///
  /// A separate thread waits for the end, because only one part of a process can handle SIGCHLD.
  ///
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  func watchEnd(on loop: IOLoop, _ handler: @escaping (ExitStatus) -> Void) throws(Errno) {
    let pipe = try WakePipe()
    watch = try loop.watch(pipe.reader, for: .reading) { [self] _ in
      // Keeps the pipe alive until here.
      _ = pipe
      watch?.cancel()
      watch = nil
      if let status = status() { handler(status) }
    }
    let program = program
    do throws(Errno) {
      try DetachedThread.run {
        program.waitForEnd()
        pipe.wake()
      }
    } catch {
      watch?.cancel()
      watch = nil
      end(SIGKILL)
      // The process ends immediately now.
      program.wait()
      throw error
    }
  }

  /// Its exit status; nil while it runs. The corresponding C function is `waitpid`.
  func status() -> ExitStatus? {
    if knownStatus == nil { knownStatus = program.status().map { ExitStatus(waitStatus: $0) } }
    return knownStatus
  }

  /// Sends it a signal if it still runs.
  func end(_ signal: CInt) { program.send(signal) }

  /// Ends it, also if it ignores SIGTERM; see ``RunningProgram/end()``.
  func end() { program.end() }

  /// The two ends of a pipe, close-on-exec. The corresponding C function is `pipe`.
  private final class Pipe {
    private var reading: OwnedDescriptor?
    private var writing: OwnedDescriptor?

    init() throws(Errno) {
      var ends: [CInt] = [-1, -1]
      try systemCall { Glibc.pipe(&ends) }
      // No other thread of this process starts programs, so no child inherits the ends
      // before this call.
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      reading = OwnedDescriptor(FileDescriptor(rawValue: ends[0]))
      writing = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
    }

    var readingEnd: FileDescriptor? { reading?.borrowed }
    var writingEnd: FileDescriptor? { writing?.borrowed }

    /// Takes the read end. An end that is not taken is closed with the pipe.
    func takeReading() -> OwnedDescriptor? { reading.take() }
    func takeWriting() -> OwnedDescriptor? { writing.take() }
  }

  private static func start(
    _ words: [String], _ path: String?, _ plan: Plan, input: FileDescriptor?,
    output: FileDescriptor?, errors: FileDescriptor?
  ) throws(Errno) -> RunningProgram {
    // What leads its own group gets SIGINT from this process alone. A shell that started this one
    // in the background may have ignored the signal.
    let interrupts = plan.leads == .nothing ? [] : [SIGINT, SIGQUIT]
    var start = ChildProcess.Plan(defaultSignals: sigset_t(ExitStatus.ignoredSignals + interrupts))
    start.input = input.map { .descriptor($0) } ?? .null
    start.output = output.map { .descriptor($0) } ?? .null
    start.errors =
      switch plan.errors {
      case .inherited: .inherited
      case .joined: .output
      case .piped: errors.map { .descriptor($0) } ?? .null
      }
    start.leads = plan.leads
    start.environment = variables(adding: plan.environment)
    return try RunningProgram(words, at: path, start, isGuarded: plan.isGuarded)
  }

  /// The environment of this process with additional variables, which replace those of
  /// the same name.
  private static func variables(adding others: [(name: String, value: String)]) -> [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if !others.contains(where: { text.hasPrefix("\($0.name)=") }) { variables.append(text) }
      next += 1
    }
    return variables + others.map { "\($0.name)=\($0.value)" }
  }
}
