import EventLoop
import Glibc
import Posix
import SystemPackage

/// A program whose standard input and output are a stream, such as ssh(1). The end of its standard
/// error is kept, because it may contain the reason of its end. All of it is read, because a
/// program that cannot write a message waits.
///
/// It has its own session, so it cannot ask at the user's terminal. It ends when its input ends.
final class StreamProgram {
  /// The stream to its standard input and from its standard output.
  let socket: StreamSocket

  private let errors: OwnedDescriptor
  /// The last bytes of its standard error.
  private var errorTail: [UInt8] = []
  private let process: RunningProgram
  private var watch: DescriptorWatch?
  private var errorWatch: DescriptorWatch?

  /// The maximum number of bytes of its standard error that are kept. These are the last ones.
  private static let errorLimit = 4_096
  /// The number of pieces in a full pipe. See pipe(7).
  private static let lastPieces = 65_536 / errorLimit

  /// Starts a program, searched along `PATH`. The corresponding C functions are
  /// `socketpair` and `posix_spawnp`.
  ///
  /// - Parameters:
  ///   - words: its name and arguments, at least one.
  ///   - ended: called once, in a turn of the loop, when it has ended.
  /// - Throws: the errors of these, and of pipe(2), epoll_ctl(2) and pthread_create(3).
  init(
    _ words: [String], on loop: IOLoop, ended: @escaping () -> Void
  ) throws(Errno) {
    let (ours, theirs) = try Self.pair()
    socket = StreamSocket(ours)
    defer { _ = Glibc.close(theirs.rawValue) }
    let (reader, writer) = try Self.pipe()
    errors = OwnedDescriptor(reader)
    defer { _ = Glibc.close(writer.rawValue) }
    var plan = ChildProcess.Plan(defaultSignals: .all)
    (plan.input, plan.output) = (.descriptor(theirs), .descriptor(theirs))
    plan.errors = .descriptor(writer)
    plan.leads = .session
    let wake = try WakePipe()
    let process = try RunningProgram(words, plan, isGuarded: true)
    self.process = process
    do throws(Errno) {
      // Without a thread that waits for its end, a zombie would remain.
      try DetachedThread.run {
        process.wait()
        wake.wake()
      }
    } catch {
      process.send(SIGKILL)
      process.wait()
      throw error
    }
    watch = try loop.watch(wake.reader, for: .reading) { [unowned self] _ in
      // Keeps the pipe alive until here.
      _ = wake
      watch?.cancel()
      watch = nil
      ended()
    }
    errorWatch = try loop.watch(errors.borrowed, for: .reading) { [unowned self] _ in
      // One piece in a turn of the loop, so that a program that never stops does not
      // delay other events.
      if case .endOfFile = readErrors() { endErrors() }
    }
  }

  deinit {
    watch?.cancel()
    errorWatch?.cancel()
  }

  private func endErrors() {
    errorWatch?.cancel()
    errorWatch = nil
  }

  /// Reads a piece of its standard error.
  private func readErrors() -> ReadOutcome {
    let outcome = withUnsafeTemporaryAllocation(byteCount: Self.errorLimit, alignment: 1) {
      buffer in
      let outcome = (try? errors.borrowed.readAvailable(into: buffer)) ?? .endOfFile
      if case .bytes(let count) = outcome {
        errorTail = (errorTail + buffer[..<count]).suffix(Self.errorLimit)
      }
      return outcome
    }
    return outcome
  }

  /// The exit status, or 128 + the number of the signal that ended it; nil while it runs.
  var status: CInt? {
    process.status().map { status in
      switch ChildProcess.End(waitStatus: status) {
      case .status(let code): code
      case .signal(let number): 128 + number
      }
    }
  }

  /// Ends the program and its children; see ``RunningProgram/end()``.
  func terminate() { process.end() }

  /// Lets it finish what it has begun when this process ends; otherwise it is killed then.
  func spare() { process.spare() }

  /// The last line of its standard error; nil if there is none.
  func lastWords() -> String? {
    // What a program that has ended left in the pipe. Its children may go on writing, so the
    // pieces are limited.
    for _ in 0..<Self.lastPieces {
      guard case .bytes = readErrors() else { break }
    }
    return String(decoding: errorTail, as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { $0.contains { !$0.isWhitespace } }.map(String.init)
  }

  private static func pair() throws(Errno) -> (ours: FileDescriptor, theirs: FileDescriptor) {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try systemCall { socketpair(AF_UNIX, type, 0, &ends) }
    // Only the end of this process: programs expect blocking streams.
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
  }

  private static func pipe() throws(Errno) -> (reader: FileDescriptor, writer: FileDescriptor) {
    var ends: [CInt] = [-1, -1]
    try systemCall { Glibc.pipe(&ends) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
  }
}
