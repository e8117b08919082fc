/// A list of observers that hears every event, once and in order.
///
/// ## Principles of operation
///
/// - **Not retained.** An observer is held weakly. One that has died is skipped, and its place is
///   swept when the round ends.
/// - **Pending sets.** While a round runs the list does not change: `add` waits in `pendingAdds`,
///   `remove` goes to `pendingRemoves` and silences its observer at once. Of several calls for one
///   observer the last one wins. Both sets are committed when the *outermost* round ends; `depth`
///   counts the rounds that are not finished, so that a notification made inside a notification
///   cannot commit early.
/// - **One order for everybody.** Observers are called in the order of adding. A notification made
///   by an observer is queued behind the round that is running: nobody hears "closed" before
///   "opened". An observer that is added in a round hears nothing of that round nor of what was
///   queued in it.
/// - **Free to act.** From inside a callback an observer may add, remove (itself too), notify, and
///   drop the last reference to anything, this object included.
/// - **No allocation a notification,** and no copy of the list.
///
/// It is confined to one thread, and not `Sendable`: the compiler refuses to share it.
public final class Observable<Event> {
  /// One observer's place in the list.
  private struct Slot {
    weak var observer: AnyObject?
    /// Calls the observer, as the type that it was added as.
    let deliver: (AnyObject, Event) -> Void

    func holds(_ candidate: AnyObject) -> Bool { observer === candidate }
  }

  private var slots: [Slot] = []
  private var pendingAdds: [Slot] = []
  private var pendingRemoves: Set<ObjectIdentifier> = []
  /// Events of nested notifications; each is taken out (nil) when its turn comes.
  private var queue: [Event?] = []
  private var depth = 0
  private var sawDeadObserver = false

  /// Creates an observable that nobody observes yet.
  public init() {}

  /// Whether a round is running, that is, whether the caller was called by a notification.
  public var isNotifying: Bool { depth > 0 }

  /// Whether anybody who is alive would hear an event sent in a new round.
  public var isObserved: Bool {
    pendingAdds.contains { $0.observer != nil }
      || slots.contains { slot in slot.observer.map { !isRemoved($0) } ?? false }
  }

  /// How many places the list has, those of dead observers included.
  var slotCount: Int { slots.count }

  /// Adds an observer at the end of the list, unless it is in it already.
  ///
  /// - Parameters:
  ///   - observer: who is told. It is not retained.
  ///   - deliver: tells it. Must not capture the observer, which would keep it alive.
  public func add<Observer: AnyObject>(
    _ observer: Observer, deliver: @escaping (Observer, Event) -> Void
  ) {
    guard !pendingAdds.contains(where: { $0.holds(observer) }) else { return }
    guard !slots.contains(where: { $0.holds(observer) }) || isRemoved(observer) else { return }
    let slot = Slot(observer: observer) { object, event in
      deliver(unsafeDowncast(object, to: Observer.self), event)
    }
    if isNotifying { pendingAdds.append(slot) } else { slots.append(slot) }
  }

  /// Removes an observer. It hears nothing from now on, also of a round that is running.
  ///
  /// Removing one that is not in the list does nothing.
  public func remove(_ observer: AnyObject) {
    // Released at the end: the end of a closure may call back in here.
    let before = pendingAdds
    defer { withExtendedLifetime(before) {} }
    pendingAdds.removeAll { $0.holds(observer) }
    guard slots.contains(where: { $0.holds(observer) }) else { return }
    pendingRemoves.insert(ObjectIdentifier(observer))
    if !isNotifying { commit() }
  }

  /// Tells every observer of an event; inside a round, after the events that wait already.
  public func notify(_ event: Event) {
    depth += 1
    guard depth == 1 else { return queue.append(event) }
    // An observer may drop the last reference to this object; the round ends all the same.
    withExtendedLifetime(self) {
      deliver(event)
      var next = 0
      while next < queue.count {
        if let nested = queue[next].take() { deliver(nested) }
        depth -= 1
        next += 1
      }
      queue.removeAll(keepingCapacity: true)
      if sawDeadObserver || !pendingAdds.isEmpty || !pendingRemoves.isEmpty { commit() }
      depth -= 1
    }
  }

  private func deliver(_ event: Event) {
    for index in slots.indices {
      guard let observer = slots[index].observer else {
        sawDeadObserver = true
        continue
      }
      if pendingRemoves.isEmpty || !isRemoved(observer) {
        slots[index].deliver(observer, event)
      }
    }
  }

  /// Applies what waited for the end of the round: removes first, since an observer that was
  /// removed and added again stands in both sets and belongs at the end of the list.
  private func commit() {
    // Released after the lists are whole again: the end of a closure may call back in here.
    let before = slots
    slots.removeAll { slot in slot.observer.map(isRemoved) ?? true }
    slots += pendingAdds
    pendingAdds.removeAll()
    pendingRemoves.removeAll(keepingCapacity: true)
    sawDeadObserver = false
    withExtendedLifetime(before) {}
  }

  private func isRemoved(_ observer: AnyObject) -> Bool {
    pendingRemoves.contains(ObjectIdentifier(observer))
  }
}

@available(*, unavailable)
extension Observable: Sendable {}
