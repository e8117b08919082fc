/// A list of observers that hears every event, once and in order.
///
/// ## Principles of operation
///
/// - **Not retained.** An observer lives as long as others want it to. One that has died is skipped,
///   and its place is swept when the round ends.
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
  // Unchecked: no access lasts while other code is called, so none can overlap, and the checks at run
  // time are most of what a notification to a single observer costs. See `Benchmarks/`.
  @exclusivity(unchecked) @usableFromInline var slots: [ObserverSlot<Event>] = []
  private var pendingAdds: [ObserverSlot<Event>] = []
  @exclusivity(unchecked) @usableFromInline var pendingRemoves: Set<ObjectIdentifier> = []
  /// Events of nested notifications; each is taken out (nil) when its turn comes.
  @exclusivity(unchecked) @usableFromInline var queue: [Event?] = []
  @exclusivity(unchecked) @usableFromInline var depth = 0
  @exclusivity(unchecked) @usableFromInline var sawDeadObserver = false

  /// Creates an observable that nobody observes yet.
  public init() {}

  /// Whether a round is running, that is, whether the caller was called by a notification.
  public var isNotifying: Bool { depth > 0 }

  /// Whether anybody who is alive would hear an event sent in a new round.
  public var isObserved: Bool {
    pendingAdds.contains(where: \.isAlive) || slots.contains { $0.isAlive && !isRemoved($0.id) }
  }

  /// How many places the list has, those of dead observers included.
  var slotCount: Int { slots.count }

  /// Adds an observer at the end of the list, unless it is in it already.
  ///
  /// - Parameters:
  ///   - observer: who is told. It is not retained.
  ///   - deliver: tells it. Must not capture the observer, which would keep it alive.
  @inlinable
  public func add<Observer: AnyObject>(
    _ observer: Observer, deliver: @escaping (Observer, Event) -> Void
  ) {
    add(TypedObserverSlot(observer, body: deliver))
  }

  @usableFromInline
  func add(_ slot: ObserverSlot<Event>) {
    guard !pendingAdds.contains(where: { $0.id == slot.id }) else { return }
    guard !slots.contains(where: { $0.id == slot.id }) || isRemoved(slot.id) else { return }
    if isNotifying { pendingAdds.append(slot) } else { slots.append(slot) }
  }

  /// Removes an observer. It hears nothing from now on, also of a round that is running.
  ///
  /// Removing one that is not in the list does nothing.
  public func remove(_ observer: AnyObject) {
    let id = ObjectIdentifier(observer)
    // Released at the end: the end of a closure may call back in here.
    let before = pendingAdds
    defer { withExtendedLifetime(before) {} }
    pendingAdds.removeAll { $0.id == id }
    guard slots.contains(where: { $0.id == id }) else { return }
    pendingRemoves.insert(id)
    if !isNotifying { commit() }
  }

  /// Tells every observer of an event; inside a round, after the events that wait already.
  @inlinable
  public func notify(_ event: Event) {
    depth += 1
    guard depth == 1 else { return queue.append(event) }
    // An observer may drop the last reference to this object; the round ends all the same.
    withExtendedLifetime(self) {
      deliver(event)
      if !queue.isEmpty { deliverQueue() }
      while sawDeadObserver || hasPending {
        commit()
        // What was released there, at the end of a closure, may have notified.
        if !queue.isEmpty { deliverQueue() }
      }
      depth -= 1
    }
  }

  @inlinable
  func deliverQueue() {
    var next = 0
    while next < queue.count {
      if let nested = queue[next].take() { deliver(nested) }
      depth -= 1
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
  }

  @inlinable
  func deliver(_ event: Event) {
    for index in slots.indices {
      // The list does not change while a round runs, and keeps its slots.
      let isAlive = Unmanaged.passUnretained(slots[index])._withUnsafeGuaranteedRef { slot in
        (!pendingRemoves.isEmpty && isRemoved(slot.id)) || slot.deliver(event)
      }
      if !isAlive { sawDeadObserver = true }
    }
  }

  @usableFromInline var hasPending: Bool { !pendingAdds.isEmpty || !pendingRemoves.isEmpty }

  /// Applies what waited for the end of the round: removes first, since an observer that was
  /// removed and added again stands in both sets and belongs at the end of the list.
  @usableFromInline
  func commit() {
    // Released after the lists are whole again: the end of a closure may call back in here.
    let before = slots
    slots = before.filter { !isRemoved($0.id) && $0.isAlive } + pendingAdds
    pendingAdds.removeAll()
    pendingRemoves.removeAll(keepingCapacity: true)
    sawDeadObserver = false
    withExtendedLifetime(before) {}
  }

  @usableFromInline
  func isRemoved(_ id: ObjectIdentifier) -> Bool { pendingRemoves.contains(id) }
}

@available(*, unavailable)
extension Observable: Sendable {}
