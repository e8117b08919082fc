import Posix

/// A call that is due at a time, for as long as this token is kept.
public final class Timer {
  private weak var loop: EventLoop?
  private let id: UInt64

  init(loop: EventLoop, id: UInt64) {
    self.loop = loop
    self.id = id
  }

  deinit { cancel() }

  /// Calls the timer off. After it was called, or called off, this does nothing.
  public func cancel() { loop?.cancelTimer(id) }
}

/// The timers of a loop, the earliest first; of equal ones, the one that was scheduled first.
///
/// A handful at a time: a sorted array is the whole of it.
struct TimerQueue {
  private struct Entry {
    let id: UInt64
    let deadline: MonotonicTime
    let handler: () -> Void
  }

  /// The latest first, so that the earliest is popped off the end.
  private var entries: [Entry] = []
  private(set) var nextID: UInt64 = 1

  var earliestDeadline: MonotonicTime? { entries.last?.deadline }

  mutating func insert(deadline: MonotonicTime, handler: @escaping () -> Void) -> UInt64 {
    let id = nextID
    nextID += 1
    let place = entries.firstIndex { $0.deadline <= deadline } ?? entries.endIndex
    entries.insert(Entry(id: id, deadline: deadline, handler: handler), at: place)
    return id
  }

  mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

  /// Takes out the earliest that is due, of those that were scheduled before one.
  mutating func popDue(at now: MonotonicTime, scheduledBefore id: UInt64) -> (() -> Void)? {
    guard let place = entries.lastIndex(where: { $0.id < id }), entries[place].deadline <= now
    else { return nil }
    return entries.remove(at: place).handler
  }
}
