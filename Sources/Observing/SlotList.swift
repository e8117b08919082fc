/// The slots of observers, in the order of their ranks, and within a rank in the order in which
/// they were added, with at most one slot per observer.
///
/// Adding at the end, removing and finding take constant time on average. A removed slot leaves a
/// gap; the gaps are closed when they are half of the list. The type of the events is not a
/// parameter, because code that is generic over it is slow unless it is inlined everywhere.
@usableFromInline
struct SlotList {
  /// Owns the slots.
  private var slots: [ObjectIdentifier: AnyObserverSlot] = [:]
  /// The slots in order.
  @usableFromInline private(set) var places: [Place] = []
  /// No slot has a higher rank.
  private var highestRank = Int.min

  /// A position in the order. It contains the kinds of events, so that most rounds over many
  /// observers need not access the slots.
  @usableFromInline
  struct Place {
    /// The kinds of events that the observer wants; 0 if the slot was removed.
    @usableFromInline let kinds: UInt
    /// The slot; nil if it was removed. Not retained, so that a round over the list neither retains
    /// nor releases a slot.
    @usableFromInline let slot: Unmanaged<AnyObserverSlot>?

    /// The rank of the slot; nil if it was removed.
    var rank: Int? { slot.map { $0._withUnsafeGuaranteedRef(\.rank) } }
  }

  @usableFromInline
  init() {}

  var count: Int { slots.count }
  var isEmpty: Bool { slots.isEmpty }

  /// Whether the next slot would make the list grow.
  var isFull: Bool { places.count == places.capacity }

  func contains(_ id: ObjectIdentifier) -> Bool { slots[id] != nil }

  func contains(where matches: (AnyObserverSlot) -> Bool) -> Bool {
    slots.values.contains(where: matches)
  }

  func forEach(_ body: (AnyObserverSlot) -> Void) {
    for case .some(let slot) in places.map(\.slot) { body(slot.takeUnretainedValue()) }
  }

  /// Adds the slot of an observer that has no slot in this list: after the slots of its rank and
  /// of lower ranks.
  mutating func insert(_ slot: AnyObserverSlot) {
    if slots.isEmpty || slot.rank >= highestRank {
      highestRank = slot.rank
      slot.place = places.count
      places.append(Place(kinds: slot.kinds, slot: .passUnretained(slot)))
    } else {
      let index = places.firstIndex { $0.rank.map { $0 > slot.rank } ?? false } ?? places.count
      places.insert(Place(kinds: slot.kinds, slot: .passUnretained(slot)), at: index)
      renumber(from: index)
    }
    slots[slot.id] = slot
  }

  /// Removes the slot of an observer.
  ///
  /// - Returns: the slot, for the caller to release; nil if there is none.
  mutating func remove(_ id: ObjectIdentifier) -> AnyObserverSlot? {
    guard let slot = slots.removeValue(forKey: id) else { return nil }
    places[slot.place] = Place(kinds: 0, slot: nil)
    closeGaps()
    return slot
  }

  /// Removes the slots that match.
  ///
  /// - Returns: the slots, for the caller to release.
  mutating func removeAll(where matches: (AnyObserverSlot) -> Bool) -> [AnyObserverSlot] {
    let all = places.compactMap { $0.slot?.takeUnretainedValue() }
    return all.filter(matches).compactMap { remove($0.id) }
  }

  private mutating func closeGaps() {
    guard places.count > 2 * slots.count else { return }
    places.removeAll { $0.slot == nil }
    renumber(from: 0)
  }

  /// Tells the slots where they are.
  private func renumber(from start: Int) {
    for index in start..<places.count { places[index].slot?.takeUnretainedValue().place = index }
  }
}
