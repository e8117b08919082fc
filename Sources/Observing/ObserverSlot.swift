/// The entry of an observer in a list, without the type of the events.
@usableFromInline
class AnyObserverSlot {
  /// The identity of the observer in its list.
  @usableFromInline final let id: ObjectIdentifier
  /// The kinds of events that the observer wants, as bits.
  final let kinds: UInt
  /// The observer's place in the order: lower ranks are called first.
  final let rank: Int
  /// The index in the list that owns the slot.
  final var place = 0

  @usableFromInline
  init(of observer: AnyObject, rank: Int, kinds: UInt) {
    (id, self.rank, self.kinds) = (ObjectIdentifier(observer), rank, kinds)
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

/// The slot of a closure that a token keeps in the list.
///
/// The token removes the slot when it is released, so a slot that is in the list needs no check:
/// calling it costs a call. See `Benchmarks/`.
@usableFromInline
final class ClosureSlot<Event>: ObserverSlot<Event> {
  private let handler: (Event) -> Void

  init(of token: AnyObject, rank: Int, kinds: UInt, handler: @escaping (Event) -> Void) {
    self.handler = handler
    super.init(of: token, rank: rank, kinds: kinds)
  }

  @usableFromInline
  override func deliver(_ event: Event) -> Bool {
    handler(event)
    return true
  }

  override var isAlive: Bool { true }
}

/// The slot of an observer that the list does not retain, and that may be released without notice.
@usableFromInline
final class WeakObserverSlot<Observer: AnyObject, Event>: ObserverSlot<Event> {
  @usableFromInline weak var observer: Observer?
  /// Keeps the memory of the observer, though not the observer itself, so that no other object has
  /// the same identity while the slot exists. It is never loaded, because loading it traps after
  /// the observer was released.
  @usableFromInline unowned let memory: Observer
  @usableFromInline let body: (Observer, Event) -> Void

  @inlinable
  init(
    of observer: Observer, rank: Int, kinds: UInt, body: @escaping (Observer, Event) -> Void
  ) {
    self.observer = observer
    memory = observer
    self.body = body
    super.init(of: observer, rank: rank, kinds: kinds)
  }

  @inlinable
  override func deliver(_ event: Event) -> Bool {
    guard let observer else { return false }
    body(observer, event)
    return true
  }

  override var isAlive: Bool { observer != nil }
}
