public import Observing

extension Session {
  /// Adds an observer at the end of the list. The session does not retain it.
  public func addObserver(_ observer: some SessionObserver) {
    // Unowned: the session is alive during a notification, which its own methods send.
    events.add(observer) { [unowned self] observer, event in event.tell(observer, of: self) }
  }

  /// Removes an observer, which is not notified any more.
  public func removeObserver(_ observer: some SessionObserver) { events.remove(observer) }

  /// Observes one kind of event with a closure, until the token is released:
  /// `session.observe(\.stateChange) { … }`.
  public func observe<Payload>(
    _ kind: @escaping (SessionEvent) -> Payload?, _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<SessionEvent> {
    events.observe(kind, handler)
  }
}
