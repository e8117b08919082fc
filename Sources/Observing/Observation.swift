/// A closure that observes, for as long as this token is kept.
///
/// Dropping the last reference ends the observation; ``cancel()`` ends it sooner.
public final class Observation<Event> {
  private weak var observable: Observable<Event>?
  private let handler: (Event) -> Void

  fileprivate init(of observable: Observable<Event>, handler: @escaping (Event) -> Void) {
    self.observable = observable
    self.handler = handler
    observable.add(self) { token, event in token.handler(event) }
  }

  /// Ends the observation at once, also in the middle of a round. Calling it again does nothing.
  public func cancel() {
    observable?.remove(self)
  }
}

@available(*, unavailable)
extension Observation: Sendable {}

extension Observable {
  /// Observes every event with a closure.
  ///
  /// - Returns: the token that keeps the observation; it ends with the token.
  public func observe(_ handler: @escaping (Event) -> Void) -> Observation<Event> {
    Observation(of: self, handler: handler)
  }

  /// Observes one kind of event without hearing the others.
  ///
  /// - Parameters:
  ///   - kind: picks what the handler wants out of an event; nil for the events it does not want.
  ///   - handler: hears what `kind` picked.
  /// - Returns: the token that keeps the observation; it ends with the token.
  public func observe<Payload>(
    _ kind: @escaping (Event) -> Payload?, _ handler: @escaping (Payload) -> Void
  ) -> Observation<Event> {
    observe { event in
      if let payload = kind(event) { handler(payload) }
    }
  }
}
