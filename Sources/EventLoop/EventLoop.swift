import CSerial
import Glibc
import Posix
public import SystemPackage

/// One thread, one wait: descriptors, timers and signals, handled one after the other.
///
/// A turn of the loop waits in epoll_wait(2) until something is ready, calls the handlers of what
/// is ready, then the timers that are due, then what was put off to the end of the turn. With
/// nothing to wait for but events it makes no wakeup at all.
///
/// A handler may register, change and cancel anything: what was cancelled is not called any more,
/// not even in the turn that is running. What a token (``DescriptorWatch``, ``Timer``,
/// ``SignalWatch``) stands for ends with the token.
///
/// It is confined to one thread, and not `Sendable`.
public final class EventLoop {
  private let epoll: OwnedDescriptor
  private var entries: [UInt64: Entry] = [:]
  private var nextID: UInt64 = 1
  private var alwaysReady: Set<UInt64> = []
  private var timers = TimerQueue()
  private var endOfTurn: [() -> Void] = []
  private var isStopping = false
  private var events = [epoll_event](repeating: epoll_event(), count: 64)

  private struct Entry {
    let descriptor: FileDescriptor
    var interest: Interest
    let handler: (Readiness) -> Void
  }

  /// Creates a loop that waits for nothing yet.
  ///
  /// - Throws: what epoll_create1(2) says: `EMFILE`, `ENFILE`, `ENOMEM`.
  public init() throws(Errno) {
    let descriptor = try systemCall { epoll_create1(CInt(EPOLL_CLOEXEC)) }
    epoll = OwnedDescriptor(FileDescriptor(rawValue: descriptor))
  }

  // MARK: Running

  /// Takes turns until ``stop()`` is called.
  ///
  /// - Throws: what epoll_wait(2) says.
  public func run() throws(Errno) {
    isStopping = false
    while !isStopping { try turn() }
  }

  /// Lets ``run()`` return when the present turn is over.
  public func stop() { isStopping = true }

  /// Waits until something is ready, or the limit is reached, and handles it.
  ///
  /// - Parameter limit: how long to wait at most; nil for as long as it takes.
  /// - Throws: what epoll_wait(2) says.
  public func turn(waitingAtMost limit: Duration? = nil) throws(Errno) {
    let count = try wait(milliseconds: timeout(limit))
    for index in 0..<count {
      let event = events[index]
      entries[event.data.u64]?.handler(Readiness(epollEvents: event.events))
    }
    // Regular files, which epoll refuses to watch: reading and writing them never waits.
    for id in alwaysReady {
      guard let entry = entries[id] else { continue }
      entry.handler(Readiness(always: entry.interest))
    }
    // What the handlers schedule, or put off, has its turn next time: one that schedules itself anew
    // at once would keep all others waiting.
    let firstOfNextTurn = timers.nextID
    while let handler = timers.popDue(at: .now, scheduledBefore: firstOfNextTurn) { handler() }
    let work = endOfTurn
    endOfTurn.removeAll()
    for handler in work { handler() }
  }

  /// Puts a piece of work off until everything that is ready in this turn has been handled.
  ///
  /// Outside a turn it waits for the end of the next one.
  public func atEndOfTurn(_ work: @escaping () -> Void) { endOfTurn.append(work) }

  private func wait(milliseconds: CInt) throws(Errno) -> Int {
    let count = epoll_wait(epoll.borrowed.rawValue, &events, CInt(events.count), milliseconds)
    if count >= 0 { return Int(count) }
    let error = Errno(rawValue: errno)
    // Not repeated here: the limit would begin anew. The next turn waits for what is left.
    if error == .interrupted { return 0 }
    throw error
  }

  /// Milliseconds to wait, rounded up: a timer is never early, and at most 1 ms late by this.
  private func timeout(_ limit: Duration?) -> CInt {
    guard alwaysReady.isEmpty && endOfTurn.isEmpty else { return 0 }
    var wait = limit
    if let deadline = timers.earliestDeadline {
      wait = min(wait ?? .seconds(86_400), deadline - .now)
    }
    guard let wait else { return -1 }
    let nanoseconds = min(max(.zero, wait), .seconds(86_400)).nanoseconds
    return CInt((nanoseconds + 999_999) / 1_000_000)
  }

  // MARK: Descriptors

  /// Watches a descriptor.
  ///
  /// - Parameters:
  ///   - descriptor: lent for as long as the watch lives; a regular file counts as always ready.
  ///   - interest: what to be told of. With an empty interest nothing is told, no hang-up either.
  ///   - handler: called once a turn while the descriptor is ready (level-triggered).
  /// - Returns: the token that keeps the watch.
  /// - Throws: what epoll_ctl(2) says: `EEXIST` if it is watched already, `EBADF`, `ENOMEM`,
  ///   `ENOSPC`.
  public func watch(
    _ descriptor: FileDescriptor, for interest: Interest,
    _ handler: @escaping (Readiness) -> Void
  ) throws(Errno) -> DescriptorWatch {
    let id = nextID
    nextID += 1
    entries[id] = Entry(descriptor: descriptor, interest: [], handler: handler)
    do {
      try setInterest(interest, of: id)
    } catch {
      entries[id] = nil
      throw error
    }
    return DescriptorWatch(loop: self, id: id)
  }

  func interest(of id: UInt64) -> Interest { entries[id]?.interest ?? [] }

  func setInterest(_ interest: Interest, of id: UInt64) throws(Errno) {
    guard let entry = entries[id], entry.interest != interest else { return }
    if alwaysReady.remove(id) == nil {
      // An empty interest leaves the set: epoll reports hang-ups whatever was asked for, and one
      // that nobody handles would keep the loop spinning.
      let operation =
        entry.interest.isEmpty ? EPOLL_CTL_ADD : interest.isEmpty ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
      var event = epoll_event(events: interest.epollEvents, data: epoll_data_t(u64: id))
      do {
        try systemCall {
          epoll_ctl(epoll.borrowed.rawValue, operation, entry.descriptor.rawValue, &event)
        }
      } catch .notPermitted {
        // Nothing hangs up there: without a wish to read or write there is nothing to tell.
        if !interest.isSubset(of: .hangUp) { alwaysReady.insert(id) }
      }
    } else if !interest.isSubset(of: .hangUp) {
      alwaysReady.insert(id)
    }
    entries[id]?.interest = interest
  }

  func cancelWatch(_ id: UInt64) {
    // The descriptor may be closed already, which took it out of the set.
    _ = try? setInterest([], of: id)
    entries[id] = nil
  }

  // MARK: Timers

  /// Calls a handler once, after a delay.
  ///
  /// - Parameters:
  ///   - delay: from now; zero or less means in the next turn. The resolution is 1 ms, rounded up.
  ///   - handler: what to call.
  /// - Returns: the token that keeps the timer.
  public func schedule(after delay: Duration, _ handler: @escaping () -> Void) -> Timer {
    Timer(loop: self, id: timers.insert(deadline: .now + delay, handler: handler))
  }

  func cancelTimer(_ id: UInt64) { timers.remove(id) }
}

@available(*, unavailable)
extension EventLoop: Sendable {}
