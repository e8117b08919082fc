package import EventLoop
package import SerialCore
package import SystemPackage

/// Polls a session's descriptor for the events that the session is interested in.
package final class SessionDriver: SessionObserver {
  /// Called when the descriptor cannot be polled, because memory or epoll watches are exhausted.
  package var onFailure: (Errno) -> Void = { _ in }

  private let loop: IOLoop
  private var watch: DescriptorWatch?

  /// Connects a session to a loop. It must be the session's first observer: closing the port frees its descriptor
  /// number, and another observer may open a file that gets the same number.
  package init(_ session: Session, on loop: IOLoop) {
    self.loop = loop
    session.addObserver(self, of: [.stateChange, .interestChange])
  }

  package func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    watch?.cancel()
    watch = nil
    guard let descriptor = session.descriptor else { return }
    do {
      watch = try loop.watch(descriptor, for: session.interest.forLoop) { [unowned session] in
        session.handle(
          readable: $0.contains(.readable), writable: $0.contains(.writable),
          hungUp: $0.contains(.hungUp))
      }
    } catch {
      onFailure(error)
    }
  }

  package func session(
    _ session: Session, didChangeInterestFrom old: Session.Interest, to new: Session.Interest
  ) {
    _ = try? watch?.setInterest(session.interest.forLoop)
  }
}

extension Session.Interest {
  fileprivate var forLoop: Interest {
    (contains(.reading) ? .reading : Interest())
      .union(contains(.writing) ? .writing : [])
  }
}
