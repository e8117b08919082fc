import EventLoop
import Glibc
import Posix
import Reconnecting
import SerialCore
import Synchronization
public import SystemPackage

/// Runs the actors of serial ports, and their event loop, on one thread of its own.
///
/// All ports share one executor, ``shared()``, unless they are given another one. It is also a task
/// executor: a task that runs on it reaches its ports without a change of thread.
///
/// ```swift
/// try await withTaskExecutorPreference(port.executor) {
///   try await port.request("version\r", until: .lines(), timeout: .seconds(1))
/// }
/// ```
///
/// Work on the executor must not block: it would stop all its ports. The thread ends when the last
/// reference to the executor is released.
public final class PortExecutor: SerialExecutor, TaskExecutor {
  /// What the executor shares with its thread and with those who give it jobs.
  private struct Mailbox {
    var jobs: [UnownedJob] = []
    /// Whether the thread looks at the jobs before it waits.
    var isAwake = true
    var isStopped = false
  }

  /// The state of the thread, which the executor and the thread own.
  private final class Core: Sendable {
    let mailbox = Mutex(Mailbox())
    let thread = Atomic<UInt>(0)
    let waker: LoopWaker
    // Used on the executor's thread only: see ``PortExecutor/loop``.
    nonisolated(unsafe) let loop: IOLoop
    nonisolated(unsafe) let devices = DeviceCatalog()
    nonisolated(unsafe) weak var executor: PortExecutor?

    init() throws(Errno) {
      loop = try IOLoop()
      waker = try loop.makeWaker()
    }
  }

  private let core: Core

  /// Creates an executor, and starts its thread.
  ///
  /// - Throws: the errors of epoll_create1(2), pipe(2) and pthread_create(3).
  public init() throws(Errno) {
    core = try Core()
    core.executor = self
    try DetachedThread.run(stackSize: 8 << 20) { [core] in Self.run(core) }
  }

  deinit {
    core.mailbox.withLock { $0.isStopped = true }
    core.waker.wake()
  }

  private static let common = Mutex<PortExecutor?>(nil)

  /// The executor of the ports that are given none. It is created at the first call.
  ///
  /// - Throws: the errors of ``init()``. A later call tries again.
  public static func shared() throws(Errno) -> PortExecutor {
    // Mutex passes on any error; there is only one type.
    let result = common.withLock { executor in
      Result { () throws(Errno) in
        if let executor { return executor }
        let new = try PortExecutor()
        executor = new
        return new
      }
    }
    return try result.get()
  }

  static func shared(toOpen path: FilePath) throws(PortError) -> PortExecutor {
    do throws(Errno) {
      return try shared()
    } catch {
      throw .serial(SerialError(.system, in: "thread", at: .tty(path), errno: error))
    }
  }

  // MARK: The thread

  private static func run(_ core: Core) {
    core.thread.store(UInt(pthread_self()), ordering: .sequentiallyConsistent)
    var jobs: [UnownedJob] = []
    while true {
      let isStopped = core.mailbox.withLock { mailbox in
        swap(&jobs, &mailbox.jobs)
        mailbox.isAwake = true
        return mailbox.isStopped
      }
      if !jobs.isEmpty {
        // A job may release the last other reference.
        guard let executor = core.executor else { preconditionFailure("jobs without executor") }
        for job in jobs {
          job.runSynchronously(
            isolatedTo: executor.asUnownedSerialExecutor(),
            taskExecutor: executor.asUnownedTaskExecutor())
        }
        jobs.removeAll(keepingCapacity: true)
      } else if isStopped {
        return
      }
      turn(core)
    }
  }

  /// Handles what is ready; waits only if no job has come since the last look.
  private static func turn(_ core: Core) {
    let waits = core.mailbox.withLock { mailbox in
      guard mailbox.jobs.isEmpty && !mailbox.isStopped else { return false }
      mailbox.isAwake = false
      return true
    }
    do throws(Errno) {
      try core.loop.turn(waitingAtMost: waits ? nil : .zero)
    } catch {
      // epoll_wait fails only for a descriptor or memory that are not valid.
      preconditionFailure("epoll_wait: \(error)")
    }
  }

  /// Whether the caller runs on the executor's thread.
  var isCurrent: Bool {
    core.thread.load(ordering: .relaxed) == UInt(pthread_self())
  }

  /// The event loop. Only for code that runs on the executor.
  var loop: IOLoop { core.loop }

  /// The serial ports of the computer. Only for code that runs on the executor.
  var devices: DeviceCatalog { core.devices }

  // MARK: Executing

  /// Adds a job, on any thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustWake = core.mailbox.withLock { mailbox in
      mailbox.jobs.append(job)
      defer { mailbox.isAwake = true }
      return !mailbox.isAwake
    }
    // The thread itself looks at the jobs after each turn.
    if mustWake && !isCurrent { core.waker.wake() }
  }

  /// The executor as the actors name it.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  /// Ends the program if the caller does not run on the executor: for `assumeIsolated`, which the
  /// handlers of the event loop call.
  public func checkIsolated() {
    precondition(isCurrent, "not on the thread of the serial ports")
  }

  /// Whether the caller runs on the executor.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}
