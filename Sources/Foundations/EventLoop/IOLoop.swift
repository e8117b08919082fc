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
  private var entries: [UInt64: Entry] = [:]
  private var nextID: UInt64 = 1
  private var alwaysReady: Set<UInt64> = []
  private var timers = TimerQueue()
  private var endOfTurn: [() -> Void] = []
  private var isStopping = false
  private var keptWatches: [DescriptorWatch] = []
  private var events = [epoll_event](repeating: epoll_event(), count: 64)
  /// The bit in the number of an urgent watch.
  private static let urgentBit: UInt64 = 1 << 63

  private struct Entry {
    let descriptor: FileDescriptor
    var interest: Interest
    let handler: (Readiness) -> Void
  }

  /// Creates a loop without watches and timers.
  ///
  /// - Parameter clock: the time that the timers follow. A test can pass one that it moves forward.
  /// - Throws: the errors of epoll_create1(2): `EMFILE`, `ENFILE`, `ENOMEM`.
  public init(clock: @escaping () -> MonotonicTime = { .now }) throws(Errno) {
    self.clock = clock
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
        let event = events[index]
        entries[event.data.u64]?.handler(Readiness(epollEvents: event.events))
      }
    }
    // Regular files, which epoll refuses to watch: reading and writing them never blocks.
    for id in alwaysReady {
      guard let entry = entries[id] else { continue }
      entry.handler(Readiness(always: entry.interest))
    }
    if !timers.isEmpty { runTimers(dueAt: moment) }
    if !endOfTurn.isEmpty { runDeferredWork() }
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
    guard alwaysReady.isEmpty && endOfTurn.isEmpty else { return 0 }
    var wait = limit
    if let deadline = timers.earliestDeadline {
      wait = min(wait ?? .seconds(86_400), deadline - now)
    }
    guard let wait else { return -1 }
    let nanoseconds = min(max(.zero, wait), .seconds(86_400)).nanoseconds
    return CInt((nanoseconds + 999_999) / 1_000_000)
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
    entries[id] = Entry(descriptor: descriptor, interest: [], handler: handler)
    do {
      try setInterest(interest, of: id)
    } catch {
      entries[id] = nil
      throw error
    }
    // One wait returns all that is ready, so that no urgent descriptor waits for a later one.
    if entries.count > events.count {
      events += repeatElement(epoll_event(), count: events.count)
    }
    return DescriptorWatch(loop: self, id: id, for: interest)
  }

  func setInterest(_ interest: Interest, of id: UInt64) throws(Errno) {
    guard let entry = entries[id], entry.interest != interest else { return }
    if alwaysReady.remove(id) == nil {
      // An empty interest removes the descriptor: epoll always reports hang-ups, and an unhandled
      // one would make the loop spin.
      let operation =
        entry.interest.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
      var event = epoll_event(events: interest.epollEvents, data: epoll_data_t(u64: id))
      do {
        try systemCall {
          epoll_ctl(epoll.borrowed.rawValue, operation, entry.descriptor.rawValue, &event)
        }
      } catch .notPermitted {
        // A regular file never hangs up, so it is ready only for reading and writing.
        if !interest.isSubset(of: .hangUp) { alwaysReady.insert(id) }
      }
    } else if !interest.isSubset(of: .hangUp) {
      alwaysReady.insert(id)
    }
    entries[id]?.interest = interest
  }

  /// Keeps a watch as long as the loop exists.
  func keep(_ watch: DescriptorWatch) { keptWatches.append(watch) }

  func cancelWatch(_ id: UInt64) {
    // Ignored: if the descriptor is already closed, the kernel has removed it from the epoll set.
    _ = try? setInterest([], of: id)
    entries[id] = nil
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
