extension Session {
  /// Stops reading: the driver keeps what the device sends, until it is full.
  ///
  /// Reading continues when every pause has ended. Each part of a program that cannot take bytes
  /// for a while holds its own pause, so that no part ends the pause of another. A pause remains in
  /// effect when the port is closed and another one is opened.
  ///
  /// - Returns: the pause, which ends when it is released.
  public func pauseReading() -> Pause { Pause(of: self, \.holds.readingPauses) }

  /// Stops sending: written bytes stay in the queue.
  ///
  /// Sending continues when every pause has ended, as for ``pauseReading()``.
  ///
  /// - Returns: the pause, which ends when it is released.
  public func pauseSending() -> Pause { Pause(of: self, \.holds.sendingPauses) }

  /// Pauses reading or sending until it is released.
  public final class Pause {
    private weak var session: Session?
    private let count: ReferenceWritableKeyPath<Session, Int>

    fileprivate init(of session: Session, _ count: ReferenceWritableKeyPath<Session, Int>) {
      self.session = session
      self.count = count
      session[keyPath: count] += 1
    }

    deinit { end() }

    /// Ends the pause. Calling it again does nothing.
    public func end() {
      guard let session else { return }
      self.session = nil
      session[keyPath: count] -= 1
    }
  }
}

@available(*, unavailable)
extension Session.Pause: Sendable {}
