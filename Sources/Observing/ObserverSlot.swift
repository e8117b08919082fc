public import CObserving

/// One observer's place in a list: does not retain it, and notices that it has died.
@usableFromInline
class ObserverSlot<Event> {
  /// Which observer it is. No other object has the same while the slot is there: the slot keeps the
  /// observer's memory, though not the observer.
  @usableFromInline final let id: ObjectIdentifier

  @usableFromInline
  init(_ observer: AnyObject) { id = ObjectIdentifier(observer) }

  /// Tells the observer of an event.
  ///
  /// - Returns: false if it has died.
  @usableFromInline
  func deliver(_ event: Event) -> Bool { preconditionFailure("a slot of no observer") }

  /// Whether the observer is alive.
  var isAlive: Bool { preconditionFailure("a slot of no observer") }
}

/// The place of an observer whose type is known, so that telling it needs no cast.
///
/// A weak reference would do the same, at four times the cost: its side table is looked up at every
/// load. See `Benchmarks/`.
@usableFromInline
final class TypedObserverSlot<Observer: AnyObject, Event>: ObserverSlot<Event> {
  /// Keeps the memory; never loaded, because it traps when the observer has died.
  @usableFromInline unowned let keeper: Observer
  @usableFromInline let object: UnsafeMutableRawPointer
  @usableFromInline let body: (Observer, Event) -> Void

  @inlinable
  init(_ observer: Observer, body: @escaping (Observer, Event) -> Void) {
    keeper = observer
    object = Unmanaged.passUnretained(observer).toOpaque()
    self.body = body
    super.init(observer)
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
