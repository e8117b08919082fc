import CSerial
import Glibc
public import Posix
public import SystemPackage
public import Time

/// An event loop: handles descriptors, timers and signals on one thread, one after the other.
///
/// A turn of the loop waits in epoll_wait(2) until something is ready. Then it calls the handlers
/// of the ready descriptors, the handlers of the due timers, and the work that was deferred to the
/// end of the turn. Urgent descriptors, such as signals and a user's keys, come first in every
/// turn. Without events and timers the loop never wakes up.
///
/// A handler may register, change and cancel anything: a cancelled handler is not called any more,
/// not even in the current turn. Releasing a token (``DescriptorWatch``, ``LoopTimer``,
/// ``SignalWatch``) cancels its handler.
///
/// A loop is confined to one thread, and not `Sendable`.
public final class IOLoop {
  private let epoll: OwnedDescriptor
  private let clock: () -> MonotonicTime
  private let control: EpollControl
  private var entries: [UInt64: Entry] = [:]
  private var nextID: UInt64 = 1
  /// The watches of regular files, which epoll refuses: reading and writing them never blocks.
  private var files: Set<UInt64> = []
  /// The watches whose interest the system had no memory to register. Each turn tries again.
  private var unregistered: Set<UInt64> = []
  private var timers = TimerQueue()
  private var endOfTurn: [() -> Void] = []
  private var isStopping = false
  private var keptWatches: [DescriptorWatch] = []
  private var events = [epoll_event](repeating: epoll_event(), count: 64)
  /// The time until an interest that could not be registered is tried again.
  private static let registrationRetry = Duration.milliseconds(100)
  /// The bit in the number of an urgent watch.
  private static let urgentBit: UInt64 = 1 << 63

  private struct Entry {
    let descriptor: FileDescriptor
    /// The events that the handler is called for.
    var interest: Interest
    /// The events that epoll reports.
    var registered: Interest = []
    let handler: (Readiness) -> Void
  }

  /// The corresponding C function is `epoll_ctl`. A test can pass one that fails.
  typealias EpollControl = (CInt, CInt, CInt, inout epoll_event) -> CInt

  /// Creates a loop without watches and timers.
  ///
  /// - Parameter clock: the time that the timers follow. A test can pass one that it moves forward.
  /// - Throws: the errors of epoll_create1(2): `EMFILE`, `ENFILE`, `ENOMEM`.
  public convenience init(clock: @escaping () -> MonotonicTime = { .now }) throws(Errno) {
    try self.init(clock: clock) { epoll_ctl($0, $1, $2, &$3) }
  }

  init(clock: @escaping () -> MonotonicTime, control: @escaping EpollControl) throws(Errno) {
    (self.clock, self.control) = (clock, control)
    let descriptor = try systemCall { epoll_create1(CInt(EPOLL_CLOEXEC)) }
    epoll = OwnedDescriptor(FileDescriptor(rawValue: descriptor))
  }

  /// The time by the clock of the timers.
  public var now: MonotonicTime { clock() }

  // MARK: Running

  /// Runs turns until ``stop()`` is called.
  ///
  /// - Throws: the errors of epoll_wait(2).
  public func run() throws(Errno) {
    isStopping = false
    while !isStopping { try turn() }
  }

  /// Makes ``run()`` return at the end of the current turn.
  public func stop() { isStopping = true }

  /// Runs one turn: waits until something is ready or the limit is reached, then handles it.
  ///
  /// - Parameter limit: the maximum time to wait; nil for no limit.
  /// - Throws: the errors of epoll_wait(2).
  public func turn(waitingAtMost limit: Duration? = nil) throws(Errno) {
    let (count, moment) = try wait(milliseconds: timeout(limit))
    for isUrgent in [true, false] {
      for index in 0..<count where (events[index].data.u64 & Self.urgentBit != 0) == isUrgent {
        deliver(Readiness(epollEvents: events[index].events), to: events[index].data.u64)
      }
    }
    for id in files { deliver([.readable, .writable], to: id) }
    if !timers.isEmpty { runTimers(dueAt: moment) }
    if !endOfTurn.isEmpty { runDeferredWork() }
  }

  /// Calls a handler for those of the events that it is interested in now: an earlier handler of
  /// the turn may have changed that.
  private func deliver(_ readiness: Readiness, to id: UInt64) {
    guard let entry = entries[id] else { return }
    let wanted = readiness.intersection(Readiness(for: entry.interest))
    if !wanted.isEmpty { entry.handler(wanted) }
  }

  /// Timers that the handlers schedule run in the next turn: a timer that reschedules itself
  /// without a delay must not block the rest of the loop.
  private func runTimers(dueAt moment: MonotonicTime) {
    let firstOfNextTurn = timers.nextID
    while let handler = timers.popDue(at: moment, scheduledBefore: firstOfNextTurn) { handler() }
  }

  private func runDeferredWork() {
    let work = endOfTurn
    endOfTurn.removeAll()
    for handler in work { handler() }
  }

  /// Defers work until everything that is ready in the current turn has been handled.
  ///
  /// Work deferred outside a turn, or by deferred work, runs at the end of the next turn.
  public func atEndOfTurn(_ work: @escaping () -> Void) { endOfTurn.append(work) }

  /// Waits for events.
  ///
  /// - Returns: how many there are, and a moment that has passed before the last look for them:
  ///   what arrived before a timer was due comes before that timer. This also holds if the process
  ///   was stopped for a while, wherever it was.
  private func wait(milliseconds: CInt) throws(Errno) -> (count: Int, moment: MonotonicTime) {
    for id in unregistered { try? register(id) }
    var moment = now
    var count = try poll(milliseconds: milliseconds)
    if milliseconds != 0 {
      moment = now
      if let deadline = timers.earliestDeadline, deadline <= moment {
        count = try poll(milliseconds: 0)
      }
    }
    return (count, moment)
  }

  private func poll(milliseconds: CInt) throws(Errno) -> Int {
    let count = epoll_wait(epoll.borrowed.rawValue, &events, CInt(events.count), milliseconds)
    if count >= 0 { return Int(count) }
    let error = Errno(rawValue: errno)
    guard error == .interrupted else { throw error }
    // The limit must not begin again: the next turn waits for the remaining time.
    return 0
  }

  /// The time to wait in milliseconds, rounded up: a timer is never early, and the rounding makes
  /// it at most 1 ms late.
  private func timeout(_ limit: Duration?) -> CInt {
    guard endOfTurn.isEmpty && !files.contains(where: wantsFile) else { return 0 }
    var wait = limit
    if let deadline = timers.earliestDeadline {
      wait = min(wait ?? .seconds(86_400), deadline - now)
    }
    if !unregistered.isEmpty { wait = min(wait ?? Self.registrationRetry, Self.registrationRetry) }
    guard let wait else { return -1 }
    let nanoseconds = min(max(.zero, wait), .seconds(86_400)).nanoseconds
    return CInt((nanoseconds + 999_999) / 1_000_000)
  }

  /// Whether the handler of a file wants to read or write. A file never hangs up.
  private func wantsFile(_ id: UInt64) -> Bool {
    entries[id].map { !$0.interest.isDisjoint(with: [.reading, .writing]) } ?? false
  }

  // MARK: Descriptors

  /// Watches a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: must stay open until the watch ends; a regular file is always ready.
  ///   - interest: the events to report. An empty interest reports nothing, not even a hang-up.
  ///   - isUrgent: whether the handler is called before those of the other descriptors, however
  ///     many are ready: for keys and signals.
  ///   - handler: called once per turn while the descriptor is ready (level-triggered).
  /// - Returns: the token that keeps the watch.
  /// - Throws: the errors of epoll_ctl(2): `EEXIST` if the descriptor is already watched,
  ///   `EBADF`, `ENOMEM`, `ENOSPC`.
  public func watch(
    _ descriptor: FileDescriptor, for interest: Interest, isUrgent: Bool = false,
    _ handler: @escaping (Readiness) -> Void
  ) throws(Errno) -> DescriptorWatch {
    let id = nextID | (isUrgent ? Self.urgentBit : 0)
    nextID += 1
    entries[id] = Entry(descriptor: descriptor, interest: interest, handler: handler)
    do {
      try register(id)
    } catch {
      forget(id)
      throw error
    }
    // One wait returns all that is ready, so that no urgent descriptor waits for a later one.
    if entries.count > events.count {
      events += repeatElement(epoll_event(), count: events.count)
    }
    return DescriptorWatch(loop: self, id: id, for: interest)
  }

  func setInterest(_ interest: Interest, of id: UInt64) {
    entries[id]?.interest = interest
    // Fails if there is no memory, and then is tried again; or if the descriptor is closed, and
    // then epoll reports nothing of it.
    _ = try? register(id)
  }

  /// Has epoll report what a handler is interested in.
  private func register(_ id: UInt64) throws(Errno) {
    unregistered.remove(id)
    guard let entry = entries[id], entry.registered != entry.interest, !files.contains(id)
    else { return }
    // An empty interest removes the descriptor: epoll always reports hang-ups, and an unhandled
    // one would make the loop spin.
    let operation =
      entry.registered.isEmpty
      ? EPOLL_CTL_ADD : entry.interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
    var event = epoll_event(events: entry.interest.epollEvents, data: epoll_data_t(u64: id))
    do {
      try systemCall {
        control(epoll.borrowed.rawValue, operation, entry.descriptor.rawValue, &event)
      }
      entries[id]?.registered = entry.interest
    } catch .notPermitted {
      files.insert(id)
    } catch {
      if error == .noMemory || error == .noSpace { unregistered.insert(id) }
      throw error
    }
  }

  /// Keeps a watch as long as the loop exists.
  func keep(_ watch: DescriptorWatch) { keptWatches.append(watch) }

  func cancelWatch(_ id: UInt64) {
    setInterest([], of: id)
    forget(id)
  }

  private func forget(_ id: UInt64) {
    // Its handler may own other watches, which end with it: after this access to the entries.
    let gone = entries.removeValue(forKey: id)
    files.remove(id)
    unregistered.remove(id)
    withExtendedLifetime(gone) {}
  }

  // MARK: Timers

  /// Calls a handler once, after a delay.
  ///
  /// - Parameters:
  ///   - delay: the time from now, rounded up to 1 ms; zero or less means the next turn.
  ///   - handler: the function to call.
  /// - Returns: the token that keeps the timer.
  public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> LoopTimer {
    LoopTimer(loop: self, id: timers.insert(deadline: now + delay, handler: handler))
  }

  func cancelTimer(_ id: UInt64) { timers.remove(id) }
}

@available(*, unavailable)
extension IOLoop: Sendable {}
