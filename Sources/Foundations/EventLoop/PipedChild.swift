import Glibc
package import Posix
package import SystemPackage

/// A program whose standard streams are pipes to this process.
///
/// ## Principles of operation
///
/// - Each stream is read at most one piece in a turn of the loop, and only if its reader has room.
/// - A separate thread waits for the end, because only one part of a process can handle SIGCHLD.
/// - ``Event/ended(_:)`` comes when all output was read. Of the errors, the rest may be left: see
///   ``PipeReader/readRest(atMost:)``.
/// - Releasing this object ends the events, and closes the standard input. The program goes on
///   unless a signal was sent, and no zombie remains. If its plan says so, the pipes that it writes
///   to are kept until it ends, so that it is not killed by SIGPIPE.
package final class PipedChild {
  /// The destinations of a program's standard streams, and the receivers of its signals.
  package struct Plan {
    /// The ends of its standard input and output.
    package enum Streams: Equatable {
      /// `/dev/null`.
      case none
      case pipes
      /// A descriptor of this process, for both.
      case descriptor(FileDescriptor)
    }

    /// The destination of its standard error.
    package enum Errors {
      /// The standard error of this process.
      case inherited
      /// Its standard output.
      case joined
      /// A separate pipe.
      case piped
    }

    let streams: Streams
    let errors: Errors
    let leads: ChildProcess.Leading
    let isGuarded: Bool
    let resetsSignals: Bool
    let survivesRelease: Bool
    let environment: [(name: String, value: String)]

    /// - Parameters:
    ///   - isGuarded: whether it is killed when this process ends.
    ///   - resetsSignals: whether it gets the default action of every signal; otherwise, what the
    ///     starter of this process has ignored stays ignored.
    ///   - survivesRelease: whether it can go on writing when this object is released. Otherwise
    ///     its next write then fails, as after the end of a reader in a shell.
    ///   - environment: variables that are added to the environment.
    package init(
      streams: Streams = .pipes, errors: Errors = .inherited,
      leads: ChildProcess.Leading = .nothing, isGuarded: Bool = false,
      resetsSignals: Bool = false, survivesRelease: Bool = true,
      environment: [(name: String, value: String)] = []
    ) {
      (self.streams, self.errors, self.leads) = (streams, errors, leads)
      (self.isGuarded, self.resetsSignals) = (isGuarded, resetsSignals)
      (self.survivesRelease, self.environment) = (survivesRelease, environment)
    }
  }

  /// What the program does. Bytes are valid during the call.
  package enum Event {
    case output(UnsafeRawBufferPointer)
    /// Its standard output is closed, although it still runs.
    case outputClosed
    case errors(UnsafeRawBufferPointer)
    /// It has exited. There may be output left. Do not release the child now.
    case exited(ChildProcess.End)
    /// It has exited, and its output was read. This is the last event.
    case ended(ChildProcess.End)
  }

  private let program: RunningProgram
  /// The pipes that outlive this object.
  private let kept: [SharedDescriptor]
  private var input: SharedDescriptor?
  private let pipes: (output: SharedDescriptor?, errors: SharedDescriptor?)
  /// The reader of its standard output; nil if that is no pipe.
  package private(set) var output: PipeReader?
  /// The reader of its standard error; nil if that is no pipe of its own.
  package private(set) var errors: PipeReader?
  private var wait: BackgroundWork<Void>?
  /// Nil before it is followed, and from ``stop()`` on.
  private var report: ((Event) -> Void)?
  /// How it exited, from ``Event/exited(_:)`` on.
  package private(set) var exit: ChildProcess.End?

  /// Starts `/bin/sh -c COMMAND`. The corresponding C function is `posix_spawn`.
  ///
  /// - Throws: the errors of pipe(2) and posix_spawn(3).
  package convenience init(_ command: String, _ plan: Plan = Plan()) throws(Errno) {
    try self.init(words: ["sh", "-c", command], at: "/bin/sh", plan)
  }

  /// Starts a program without a shell. The corresponding C function is `posix_spawnp`.
  ///
  /// - Parameters:
  ///   - words: its name, which is searched along `PATH` if it has no slash, and its arguments.
  ///   - path: its file; nil to search for its name.
  /// - Throws: the errors of pipe(2) and posix_spawnp(3).
  package init(
    words: [String], at path: String? = nil, _ plan: Plan = Plan()
  ) throws(Errno) {
    let arePipes = plan.streams == .pipes
    let toChild = arePipes ? try SharedDescriptor.pipe() : nil
    let fromChild = arePipes ? try SharedDescriptor.pipe() : nil
    let errorsOfChild = plan.errors == .piped ? try SharedDescriptor.pipe() : nil
    // The program's own ends are closed when it has started.
    defer { withExtendedLifetime((toChild, fromChild, errorsOfChild)) {} }
    var start = ChildProcess.Plan(defaultSignals: plan.defaultSignals)
    if case .descriptor(let both) = plan.streams {
      (start.input, start.output) = (.descriptor(both), .descriptor(both))
    } else {
      start.input = toChild.map { .descriptor($0.reader.borrowed) } ?? .null
      start.output = fromChild.map { .descriptor($0.writer.borrowed) } ?? .null
    }
    start.errors =
      switch plan.errors {
      case .inherited: .inherited
      case .joined: .output
      case .piped: errorsOfChild.map { .descriptor($0.writer.borrowed) } ?? .null
      }
    start.leads = plan.leads
    // Byte for byte that of this process, if nothing is added.
    start.environment = plan.environment.isEmpty ? nil : plan.variables
    // Only the ends of this process: programs expect blocking streams.
    for end in [toChild?.writer, fromChild?.reader, errorsOfChild?.reader] {
      end?.borrowed.setNonBlocking()
    }
    program = try RunningProgram(words, at: path, start, isGuarded: plan.isGuarded)
    input = toChild?.writer
    pipes = (fromChild?.reader, errorsOfChild?.reader)
    kept = plan.survivesRelease ? [pipes.output, pipes.errors].compactMap(\.self) : []
  }

  /// Starts to read its streams and to wait for its end. If that fails, it is killed.
  ///
  /// - Parameters:
  ///   - outputRoom: returns the number of bytes of its output that may be read in this turn; with
  ///     0, reading waits for ``PipeReader/resume()``.
  ///   - errorRoom: the same for its standard error.
  ///   - onEvent: called in turns of the loop.
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  package func follow(
    on loop: IOLoop, outputRoom: @escaping () -> Int = { PipeReader.piece },
    errorRoom: @escaping () -> Int = { PipeReader.piece }, onEvent: @escaping (Event) -> Void
  ) throws(Errno) {
    report = onEvent
    do throws(Errno) {
      wait = try BackgroundWork(on: loop) { [program, kept] _ in
        program.wait()
        withExtendedLifetime(kept) {}
      } onResult: { [unowned self] in
        handleExit()
      }
      output = try pipes.output.map { (pipe) throws(Errno) in
        try PipeReader(pipe, on: loop, room: outputRoom) { [unowned self] event in
          switch event {
          case .bytes(let bytes): report?(.output(bytes))
          case .end: report?(exit.map { .ended($0) } ?? .outputClosed)
          }
        }
      }
      errors = try pipes.errors.map { (pipe) throws(Errno) in
        try PipeReader(pipe, on: loop, room: errorRoom) { [unowned self] event in
          if case .bytes(let bytes) = event { report?(.errors(bytes)) }
        }
      }
    } catch {
      stop()
      program.send(SIGKILL)
      // The process ends immediately now.
      program.wait()
      throw error
    }
  }

  private func handleExit() {
    wait = nil
    guard let status = program.status() else { return }
    let exit = ChildProcess.End(waitStatus: status)
    self.exit = exit
    let hasOutput = output?.hasEnded == false
    output?.finish()
    report?(.exited(exit))
    if !hasOutput { report?(.ended(exit)) }
  }

  /// Ends the events, and closes its standard input.
  package func stop() {
    report = nil
    wait = nil
    output?.stop()
    errors?.stop()
    closeInput()
  }

  /// The write end of its standard input; nil once closed. Non-blocking.
  package var inputDescriptor: FileDescriptor? { input?.borrowed }

  /// Closes its standard input.
  package func closeInput() { input = nil }

  /// The number of bytes of its input that it has not read yet.
  package var unreadCount: Int { inputDescriptor?.availableByteCount ?? 0 }

  /// How it has exited, if it has by now. The corresponding C function is `waitpid`.
  package func currentExit() -> ChildProcess.End? {
    program.status().map { ChildProcess.End(waitStatus: $0) }
  }

  /// Sends it a signal if it still runs.
  package func end(_ signal: CInt) { program.send(signal) }

  /// Ends it, also if it ignores SIGTERM; see ``RunningProgram/end()``.
  package func end() { program.end() }

  /// Lets it run on when this process ends; see ``RunningProgram/spare()``.
  package func spare() { program.spare() }
}

extension PipedChild.Plan {
  fileprivate var defaultSignals: sigset_t {
    if resetsSignals { return .all }
    // What leads its own group gets SIGINT from this process alone. A shell that started this one
    // in the background may have ignored the signal.
    let interrupts = leads == .nothing ? [] : [SIGINT, SIGQUIT]
    return sigset_t(ChildProcess.ignoredSignals + interrupts)
  }

  /// The environment of this process with additional variables, which replace those of
  /// the same name.
  fileprivate var variables: [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      let text = String(cString: variable)
      if !environment.contains(where: { text.hasPrefix("\($0.name)=") }) { variables.append(text) }
      next += 1
    }
    return variables + environment.map { "\($0.name)=\($0.value)" }
  }
}
