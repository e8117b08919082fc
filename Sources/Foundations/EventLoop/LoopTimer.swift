import Time

/// A scheduled call. Releasing this token cancels it.
public final class LoopTimer {
  private weak var loop: IOLoop?
  private let id: UInt64

  init(loop: IOLoop, id: UInt64) {
    self.loop = loop
    self.id = id
  }

  deinit { cancel() }

  /// Cancels the timer. Has no effect after its handler was called, or a second time.
  public func cancel() { loop?.cancelTimer(id) }
}

/// The timers of a loop, ordered by deadline; equal deadlines in the order of scheduling.
///
/// A loop has only a few timers at a time, so a sorted array is enough.
struct TimerQueue {
  private struct Entry {
    let id: UInt64
    let deadline: MonotonicTime
    let handler: () -> Void
  }

  /// The latest first, so that the earliest is removed from the end.
  private var entries: [Entry] = []
  private(set) var nextID: UInt64 = 1

  var isEmpty: Bool { entries.isEmpty }

  var earliestDeadline: MonotonicTime? { entries.last?.deadline }

  mutating func insert(deadline: MonotonicTime, handler: @escaping () -> Void) -> UInt64 {
    let id = nextID
    nextID += 1
    let place = entries.firstIndex { $0.deadline <= deadline } ?? entries.endIndex
    entries.insert(Entry(id: id, deadline: deadline, handler: handler), at: place)
    return id
  }

  mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

  /// Removes the earliest due timer among those scheduled before `id`, and returns its handler.
  mutating func popDue(at now: MonotonicTime, scheduledBefore id: UInt64) -> (() -> Void)? {
    guard let place = entries.lastIndex(where: { $0.id < id }), entries[place].deadline <= now
    else { return nil }
    return entries.remove(at: place).handler
  }
}
