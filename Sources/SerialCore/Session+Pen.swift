internal import Observing

/// Which author may write.
extension Session {
  /// Hands the pen to an author, who is the only one to write until the pen is returned.
  ///
  /// Bytes that others have queued are sent first. When the pen is released, or ``Pen/end()`` is
  /// called, or the port is closed or lost, the ``owner`` has it again. Observers are notified
  /// of each hand-over.
  ///
  /// - Parameters:
  ///   - author: who writes from now on.
  ///   - outlivesLoss: whether the author keeps the pen while the session waits for a lost device.
  /// - Returns: the pen, to keep while the author writes.
  /// - Throws: ``SerialError``: `notOpen`, or `penTaken` with the author who has it.
  public func takePen(
    for author: Author, outlivesLoss: Bool = false
  ) throws(SerialError) -> Pen {
    guard let link else { throw notOpen(in: "take pen") }
    guard let number = changePen({ $0.take(for: author, outlivesLoss: outlivesLoss) }) else {
      throw SerialError(.penTaken(by: writer), in: "take pen", at: link.endpoint)
    }
    return Pen(of: self, number)
  }

  /// Returns the pen, unless it outlives the loss of the port.
  func returnPenAtLoss() {
    let isLost: Bool
    switch state {
    case .waitingForDevice, .opening: isLost = true
    case .open, .closed, .released: isLost = false
    }
    changePen { $0.portWasClosed(byLoss: isLost) }
  }

  /// The exclusive right to write to a session, until it is released.
  public final class Pen {
    private weak var session: Session?
    private let number: Int

    fileprivate init(of session: Session, _ number: Int) {
      (self.session, self.number) = (session, number)
    }

    deinit { end() }

    /// Returns the pen to the session's owner. Calling it again, or after the port was
    /// closed, does nothing.
    public func end() {
      session?.changePen { $0.putBack(number) }
      session = nil
    }
  }
}

@available(*, unavailable)
extension Session.Pen: Sendable {}
