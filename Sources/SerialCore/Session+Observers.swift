public import Observing

/// The observers of a session, and their order.
extension Session {
  /// The order in which the observers of a session are notified of an event. Within a rank, nothing
  /// depends on the order.
  ///
  /// All are notified on the session's thread. During a call, an observer may do anything
  /// with the session; bytes that it writes are sent after the call. It cannot prevent
  /// anything: see ``SessionDelegate``.
  public enum ObserverRank: Int, CaseIterable, Sendable {
    /// Polls the port. First, because the number of a closed descriptor is free: another observer
    /// may open a file that gets the same number.
    case driver
    /// Passes received bytes on. Before those who answer them, so that a log has the bytes
    /// before the answer.
    case distributor
    /// Records and counts what happens. Before those who act on it, so that a log has an event
    /// before its consequences, and a view shows the new count.
    case recorder
    /// Prepares and restores the line when the port is opened and closed. Before those who send: a
    /// reset of the device pauses sending.
    case line
    /// The observed state of a program, which decides what can be done. Before those who do
    /// something, because they ask it.
    case state
    /// Every other observer.
    case standard
    /// Tells the user what has happened. Before those who report the consequences: the loss of the
    /// device is reported before the bytes that were not sent.
    case narrator
    /// Decides what follows: discards and reports unsent bytes, starts logs, ends the session.
    case controller
    /// Opens the port again. Last, because bytes that were typed for the lost device must be
    /// discarded before the next device is open.
    case reconnector
  }

  /// Calls a closure with every event of one kind: `session.observe(.received) { … }`.
  ///
  /// - Parameters:
  ///   - kind: the kind of events.
  ///   - rank: the place in the order of the observers.
  ///   - handler: called with the contents of each event. It lives as long as the token.
  /// - Returns: the token, which the caller keeps. Releasing it ends the observation.
  public func observe<Payload>(
    _ kind: SessionEvent.Kind<Payload>, rank: ObserverRank = .standard,
    _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<SessionEvent> {
    events.observe(rank: rank.rawValue, kinds: kind.bit, kind.observer(handler))
  }

  /// Notifies the observers of an event.
  @inline(__always)
  func notify<Payload>(_ kind: SessionEvent.Kind<Payload>, _ payload: Payload) {
    withExtendedLifetime(self) { events.notify(kind.event(payload), kind: kind.bit) }
  }
}
