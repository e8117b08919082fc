/// A list of observers. Each observer receives every event once, in order.
///
/// ## Principles of operation
///
/// - **Observers are not retained.** An observer lives as long as its owner wants. A token that
///   ends leaves the list immediately. Any other observer that is released is skipped, and its slot
///   is removed at the end of the next round or when the list would grow.
/// - **Pending sets.** The list does not change during a round. An observer that is added waits in
///   `pendingAdds`. One that is removed goes to `pendingRemoves`, and receives nothing from then
///   on. Both sets are committed when the *outermost* round ends. `depth` counts the unfinished
///   rounds, so that a nested notification cannot commit early.
/// - **One order for all.** Observers are called in the order of their ranks, which the owner of
///   the list declares. Within a rank, the order is that of adding. A notification that an observer
///   sends is queued until the present round ends, so no observer receives "closed" before
///   "opened". An observer that is added during a round receives neither that round nor the
///   notifications that are queued in it.
/// - **No restrictions on observers.** A callback may add and remove observers (including itself),
///   notify, and release the last reference to any object, including the list.
/// - **Kinds.** An observer can be added for some kinds of events, and is not called for the
///   others. The kinds are bits whose meaning is defined by the type of the events.
/// - **Cost.** A notification allocates no memory and copies no list. Adding and removing take
///   constant time on average, for any length of the list; adding before observers of higher ranks
///   takes time for each of those.
///
/// ## Removing and adding the same observer within a round
///
/// In the classic form of the pattern the two calls cancel out: `add` removes the observer from
/// `pendingRemoves`, so that it keeps its position and receives the rest of the round, and `remove`
/// removes it from `pendingAdds`. Here a removal is final. After `remove` and `add`, the observer
/// receives nothing more of the round, and is then at the end of its rank, with the closure of the
/// second `add`. The two calls have the same effect outside of a round.
///
/// The reason is that `remove` is a promise: after it returns, the observer is not called. In the
/// classic form a later `add`, perhaps by code that does not know of the removal, breaks that
/// promise in the middle of a round, and keeps the old closure although the caller passed a new
/// one. In both forms the last call determines whether the observer is in the list after the round.
///
/// A list belongs to one thread. It is not `Sendable`: the compiler refuses to share it.
public final class Observable<Event> {
  // Unchecked: no access lasts while other code runs, so accesses cannot overlap. The run-time
  // checks would take most of the time of a notification to a single observer. See `Benchmarks/`.
  @exclusivity(unchecked) @usableFromInline var observers = SlotList()
  private var pendingAdds = SlotList()
  @exclusivity(unchecked) @usableFromInline var pendingRemoves: Set<ObjectIdentifier> = []
  /// Nested notifications. Each one becomes nil when it is delivered.
  @exclusivity(unchecked) @usableFromInline var queue: [(event: Event, kind: UInt)?] = []
  @exclusivity(unchecked) @usableFromInline var depth = 0
  @exclusivity(unchecked) @usableFromInline var sawDeadObserver = false

  /// What tokens know of this list.
  let reference = ListReference<Event>()

  /// Creates an empty list.
  public init() { reference.list = self }

  deinit { reference.list = nil }

  /// Whether a round is running, which means that a notification called the caller.
  public var isNotifying: Bool { depth > 0 }

  /// Whether a new round would reach a live observer.
  public var isObserved: Bool {
    pendingAdds.contains(where: \.isAlive)
      || observers.contains { $0.isAlive && !isRemoved($0.id) }
  }

  /// The number of slots in the list, including those of released observers.
  var slotCount: Int { observers.count }

  // MARK: Observers

  /// Adds an observer at the end of its rank. Does nothing if the list contains it.
  ///
  /// ``observe(rank:kinds:_:)`` is the same for a closure and a token, and calls it at a sixth
  /// of the cost: a token leaves the list when it is released, while each call of an object
  /// loads a weak reference.
  ///
  /// - Parameters:
  ///   - observer: the observer. It is not retained.
  ///   - rank: its place in the order: lower ranks are called first. The owner of the list declares
  ///     the ranks, in one place; by default 0.
  ///   - kinds: the kinds of events that the observer wants, as bits; by default all.
  ///   - deliver: passes an event to the observer. It must not capture the observer, because that
  ///     would keep the observer alive.
  @inlinable
  public func add<Observer: AnyObject>(
    _ observer: Observer, rank: Int = 0, kinds: UInt = .max,
    deliver: @escaping (Observer, Event) -> Void
  ) {
    add(WeakObserverSlot(of: observer, rank: rank, kinds: kinds, body: deliver))
  }

  @usableFromInline
  func add(_ slot: AnyObserverSlot) {
    guard !pendingAdds.contains(slot.id) else { return }
    guard !observers.contains(slot.id) || isRemoved(slot.id) else { return }
    if isNotifying {
      pendingAdds.insert(slot)
    } else {
      // The slots of released observers take memory until the next round, which may never happen.
      let dead = observers.isFull ? observers.removeAll { !$0.isAlive } : []
      observers.insert(slot)
      withExtendedLifetime(dead) {}
    }
  }

  /// Removes an observer. It is not called after this method returns, not even by
  /// the present round.
  ///
  /// Does nothing if the list does not contain the observer.
  public func remove(_ observer: AnyObject) {
    let id = ObjectIdentifier(observer)
    // Both are released at the end, when the lists are consistent: releasing a closure can run code
    // that calls this object.
    let pending = pendingAdds.remove(id)
    var removed: AnyObserverSlot?
    if !isNotifying {
      removed = observers.remove(id)
    } else if observers.contains(id) {
      pendingRemoves.insert(id)
    }
    withExtendedLifetime((pending, removed)) {}
  }

  // MARK: Notifications

  /// Calls every observer that wants an event of this kind. During a round, the event is queued
  /// until the round ends.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - kind: its kind, one bit; by default a kind that every observer wants.
  @inlinable
  public func notify(_ event: Event, kind: UInt = .max) {
    depth += 1
    guard depth == 1 else { return queue.append((event, kind)) }
    // An observer may release the last reference to this object. The round must still end properly.
    withExtendedLifetime(self) {
      deliver(event, kind)
      if !queue.isEmpty { deliverQueue() }
      while sawDeadObserver || hasPending {
        commit()
        // The closures that the commit has released may have sent notifications.
        if !queue.isEmpty { deliverQueue() }
      }
      depth -= 1
    }
  }

  @inlinable
  func deliverQueue() {
    var next = 0
    while next < queue.count {
      if let (event, kind) = queue[next].take() { deliver(event, kind) }
      depth -= 1
      next += 1
    }
    queue.removeAll(keepingCapacity: true)
  }

  @inlinable
  func deliver(_ event: Event, _ kind: UInt) {
    for index in observers.places.indices {
      let place = observers.places[index]
      guard place.kinds & kind != 0, let slot = place.slot else { continue }
      // The list does not change during a round, and keeps its slots alive.
      let isAlive = slot._withUnsafeGuaranteedRef { slot in
        (!pendingRemoves.isEmpty && isRemoved(slot.id))
          || unsafeDowncast(slot, to: ObserverSlot<Event>.self).deliver(event)
      }
      if !isAlive { sawDeadObserver = true }
    }
  }

  @usableFromInline var hasPending: Bool { !pendingAdds.isEmpty || !pendingRemoves.isEmpty }

  @usableFromInline
  func isRemoved(_ id: ObjectIdentifier) -> Bool { pendingRemoves.contains(id) }

  /// Applies the changes of a round. It removes before it adds, because an observer that was
  /// removed and added again is in both sets and belongs at the end of its rank.
  @usableFromInline
  func commit() {
    var released = pendingRemoves.compactMap { observers.remove($0) }
    pendingRemoves.removeAll(keepingCapacity: true)
    if sawDeadObserver { released += observers.removeAll { !$0.isAlive } }
    sawDeadObserver = false
    let added = pendingAdds
    pendingAdds = SlotList()
    added.forEach { observers.insert($0) }
    // Released when the lists are consistent, as in `remove`.
    withExtendedLifetime(released) {}
  }
}

@available(*, unavailable)
extension Observable: Sendable {}
