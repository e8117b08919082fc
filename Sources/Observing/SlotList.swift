/// The slots of observers, in the order in which they were added, at most one for an observer.
///
/// Adding, removing and finding take constant time on average. A slot that is removed leaves a gap,
/// and the gaps are closed when they are half of the list. The type of the events is left out, because
/// code that is generic over it is slow unless it is inlined everywhere.
@usableFromInline
struct SlotList {
  /// Owns the slots.
  private var slots: [ObjectIdentifier: AnyObserverSlot] = [:]
  /// The order; nil where a slot was removed. Not retained, so that a round over the list neither
  /// retains nor releases a slot.
  @usableFromInline private(set) var places: [Unmanaged<AnyObserverSlot>?] = []

  @usableFromInline
  init() {}

  var count: Int { slots.count }
  var isEmpty: Bool { slots.isEmpty }

  /// Whether the next slot makes the list grow.
  var isFull: Bool { places.count == places.capacity }

  func contains(_ id: ObjectIdentifier) -> Bool { slots[id] != nil }

  func contains(where matches: (AnyObserverSlot) -> Bool) -> Bool {
    slots.values.contains(where: matches)
  }

  func forEach(_ body: (AnyObserverSlot) -> Void) {
    for case .some(let place) in places { body(place.takeUnretainedValue()) }
  }

  /// Adds the slot of an observer that has none in this list.
  mutating func append(_ slot: AnyObserverSlot) {
    slot.place = places.count
    places.append(.passUnretained(slot))
    slots[slot.id] = slot
  }

  /// Removes the slot of an observer.
  ///
  /// - Returns: the slot, for the caller to release; nil if there is none.
  mutating func remove(_ id: ObjectIdentifier) -> AnyObserverSlot? {
    guard let slot = slots.removeValue(forKey: id) else { return nil }
    places[slot.place] = nil
    closeGaps()
    return slot
  }

  /// Removes the slots that match.
  ///
  /// - Returns: the slots, for the caller to release.
  mutating func removeAll(where matches: (AnyObserverSlot) -> Bool) -> [AnyObserverSlot] {
    let matching = places.filter { $0.map { matches($0.takeUnretainedValue()) } ?? false }
    return matching.compactMap { $0.flatMap { remove($0.takeUnretainedValue().id) } }
  }

  private mutating func closeGaps() {
    guard places.count > 2 * slots.count else { return }
    places.removeAll { $0 == nil }
    for (index, place) in places.enumerated() { place?.takeUnretainedValue().place = index }
  }
}
