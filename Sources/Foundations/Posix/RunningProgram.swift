import Glibc
package import SystemPackage
import Time

/// A program that this process has started, with an end that is certain once it is wanted.
///
/// ## Principles of operation
///
/// - Signals go to its group, if it leads one; otherwise to the program alone.
/// - ``end()`` sends SIGTERM, and after ``grace`` SIGKILL. When the program ends before, what is
///   left of its group is killed: until the status is taken, no other group gets this number.
/// - At its end, this process waits for those a moment; see ``finishEndings()``.
/// - A guarded program is also killed if a signal ends this process.
package final class RunningProgram: Sendable {
  private let pid: pid_t
  /// Where signals go, for kill(2).
  private let target: pid_t
  private let state = Guarded(State())

  private struct State {
    /// The status of wait(2); nil while it runs, or was not asked for.
    var status: CInt?
    var isEnding = false
  }

  /// The time that a program has after SIGTERM.
  package static let grace = Duration.seconds(1)
  /// The time that all of them have at the end of this process, for which a user waits.
  package static let lastGrace = Duration.milliseconds(200)
  /// Those that end, by process ID. Its lock is taken while that of a program is held.
  private static let ending = Guarded<[pid_t: RunningProgram]>([:])

  /// Starts a program; see ``ChildProcess/start(_:at:_:)``.
  ///
  /// - Parameter isGuarded: whether it is killed when this process ends.
  /// - Throws: the errors of posix_spawnp(3).
  package init(
    _ words: [String], at path: String? = nil, _ plan: ChildProcess.Plan, isGuarded: Bool
  ) throws(Errno) {
    // No signal ends this process between the start and the guard.
    var (all, before) = (sigset_t.all, sigset_t())
    pthread_sigmask(SIG_BLOCK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    pid = try ChildProcess.start(words, at: path, plan)
    target = plan.leads == .nothing ? pid : -pid
    if isGuarded { ExitGuard.add(target) }
  }

  /// Lets it run on when this process ends: its input ends then, and it may have work to finish.
  package func spare() { ExitGuard.remove(target) }

  /// Its status of wait(2); nil while it runs. The corresponding C function is `waitpid`.
  package func status() -> CInt? {
    state.withLock { state in
      guard state.status == nil, ChildProcess.hasEnded(pid) else { return state.status }
      if state.isEnding, target < 0 { kill(target, SIGKILL) }
      // Before the status is taken: then another program may get the number.
      ExitGuard.remove(target)
      Self.ending.withLock { $0[pid] = nil }
      var value: CInt = 0
      state.status = waitpid(pid, &value, 0) == pid ? value : -1
      return state.status
    }
  }

  /// Blocks until it has ended, and takes its status, so that no zombie remains.
  package func wait() {
    ChildProcess.waitForEnd(of: pid)
    _ = status()
  }

  /// Sends it a signal if it still runs. The corresponding C function is `kill`.
  package func send(_ signal: CInt) {
    state.withLock { if $0.status == nil { kill(target, signal) } }
  }

  /// Ends it: SIGTERM, and after ``grace`` SIGKILL. Further calls do nothing.
  package func end() {
    let isFirst = state.withLock { state in
      guard state.status == nil, !state.isEnding else { return false }
      state.isEnding = true
      Self.ending.withLock { $0[pid] = self }
      ExitGuard.add(target)
      kill(target, SIGTERM)
      return true
    }
    guard isFirst else { return }
    do throws(Errno) {
      try DetachedThread.run { [self] in wait() }
      try DetachedThread.run { [self] in
        if !state.wait(until: .now + Self.grace, for: { $0.status != nil }) { send(SIGKILL) }
      }
    } catch {
      // There are too many threads. It ends at once now.
      send(SIGKILL)
      wait()
    }
  }

  /// Waits for the programs that were told to end, at most ``lastGrace``, and kills those that are
  /// left. Call it at the end of the process.
  package static func finishEndings() {
    let deadline = MonotonicTime.now + lastGrace
    for program in ending.withLock({ Array($0.values) }) {
      program.state.wait(until: deadline) { $0.status != nil }
    }
    ExitGuard.undo()
  }
}
