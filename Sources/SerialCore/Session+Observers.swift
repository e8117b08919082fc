public import Observing

extension Session {
  /// Adds an observer, which is not retained, at the end of the list.
  public func addObserver(_ observer: some SessionObserver) {
    // Unowned: every notification is made by a method of the session, which is alive in it.
    events.add(observer) { [unowned self] observer, event in event.tell(observer, of: self) }
  }

  /// Removes an observer; it hears nothing from now on.
  public func removeObserver(_ observer: some SessionObserver) { events.remove(observer) }

  /// Observes one kind of event with a closure, for as long as the token is kept:
  /// `session.observe(\.stateChange) { … }`.
  public func observe<Payload>(
    _ kind: @escaping (SessionEvent) -> Payload?, _ handler: @escaping (Payload) -> Void
  ) -> Observation<SessionEvent> {
    events.observe(kind, handler)
  }
}
