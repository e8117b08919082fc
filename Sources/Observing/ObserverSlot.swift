public import CObserving

/// The entry of an observer in a list. It does not retain the observer, and detects when it was released.
@usableFromInline
class AnyObserverSlot {
  /// The identity of the observer. No other object has the same identity while the slot exists, because the slot
  /// keeps the memory of the observer, though not the observer itself.
  @usableFromInline final let id: ObjectIdentifier
  /// The kinds of events that the observer wants, as bits.
  final let kinds: UInt
  /// The index in the list that owns the slot.
  final var place = 0

  @usableFromInline
  init(_ observer: AnyObject, kinds: UInt) {
    (id, self.kinds) = (ObjectIdentifier(observer), kinds)
  }

  /// Whether the observer is alive.
  var isAlive: Bool { preconditionFailure("abstract") }
}

/// A slot of a list with one type of events.
@usableFromInline
class ObserverSlot<Event>: AnyObserverSlot {
  /// Calls the observer with an event.
  ///
  /// - Returns: false if the observer was released.
  @usableFromInline
  func deliver(_ event: Event) -> Bool { preconditionFailure("abstract") }
}

/// The slot of an observer whose type is known, so that calling it needs no cast.
///
/// A weak reference would have the same effect at four times the cost, because each load goes through its side table.
/// See `Benchmarks/`.
@usableFromInline
final class TypedObserverSlot<Observer: AnyObject, Event>: ObserverSlot<Event> {
  /// Keeps the memory. It is never loaded, because loading it traps after the observer was released.
  @usableFromInline unowned let keeper: Observer
  @usableFromInline let object: UnsafeMutableRawPointer
  @usableFromInline let body: (Observer, Event) -> Void

  @inlinable
  init(_ observer: Observer, kinds: UInt, body: @escaping (Observer, Event) -> Void) {
    keeper = observer
    object = Unmanaged.passUnretained(observer).toOpaque()
    self.body = body
    super.init(observer, kinds: kinds)
  }

  @inlinable
  override func deliver(_ event: Event) -> Bool {
    guard let retained = swift_tryRetain(object) else { return false }
    body(Unmanaged<Observer>.fromOpaque(retained).takeRetainedValue(), event)
    return true
  }

  override var isAlive: Bool {
    guard let retained = swift_tryRetain(object) else { return false }
    Unmanaged<Observer>.fromOpaque(retained).release()
    return true
  }
}
