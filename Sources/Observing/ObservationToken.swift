/// A closure that observes a list for as long as this token exists.
///
/// Releasing the last reference to the token ends the observation, as does ``cancel()``.
public final class ObservationToken<Event> {
  private let reference: ListReference<Event>

  fileprivate init(
    in list: Observable<Event>, rank: Int, kinds: UInt, handler: @escaping (Event) -> Void
  ) {
    reference = list.reference
    list.add(ClosureSlot(of: self, rank: rank, kinds: kinds, handler: handler))
  }

  deinit { cancel() }

  /// Ends the observation immediately, even in the middle of a round. Calling it
  /// again does nothing.
  public func cancel() {
    reference.list?.remove(self)
  }
}

@available(*, unavailable)
extension ObservationToken: Sendable {}

/// Refers to a list that may be gone. The list clears it at its end: a weak reference to the list
/// would make each retain of the list slower, and a notification has several.
final class ListReference<Event> {
  unowned(unsafe) var list: Observable<Event>?
}

extension Observable {
  /// Calls a closure with every event of some kinds.
  ///
  /// - Parameters:
  ///   - rank: the place in the order of the observers; see ``add(_:rank:kinds:deliver:)``.
  ///   - kinds: the kinds as bits, by default all; see ``notify(_:kind:)``.
  ///   - handler: the closure. It lives as long as the token, or until the end of the round in
  ///     which the token ends.
  /// - Returns: the token, which the caller keeps. Releasing it ends the observation.
  public func observe(
    rank: Int = 0, kinds: UInt = .max, _ handler: @escaping (Event) -> Void
  ) -> ObservationToken<Event> {
    ObservationToken(in: self, rank: rank, kinds: kinds, handler: handler)
  }

  /// Calls a closure with the events of one kind.
  ///
  /// - Parameters:
  ///   - kind: returns the part of an event that the handler needs, or nil to ignore the event.
  ///   - rank: the place in the order of the observers; see ``add(_:rank:kinds:deliver:)``.
  ///   - handler: called with the result of `kind`.
  /// - Returns: the token, which the caller keeps. Releasing it ends the observation.
  public func observe<Payload>(
    _ kind: @escaping (Event) -> Payload?, rank: Int = 0, _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<Event> {
    observe(rank: rank) { event in
      if let payload = kind(event) { handler(payload) }
    }
  }
}
