public import EventLoop
public import Posix
public import SerialCore
public import SystemPackage

/// Connects a session to an event loop: the loop polls the session's descriptor for the session's interest.
///
/// It lasts until it is released, and does not retain the session.
public final class SessionDriver: SessionObserver {
  /// Called when the port cannot be polled: no memory, or no watches. See epoll_ctl(2).
  public var onFailure: (Errno) -> Void = { _ in }

  private let loop: IOLoop
  private var watch: DescriptorWatch?

  /// Connects a session to a loop.
  ///
  /// It must be the session's first observer: when the port is closed its descriptor is free, and another
  /// observer may open a file that gets the same number.
  public init(_ session: Session, on loop: IOLoop) {
    self.loop = loop
    session.addObserver(self, of: [.stateChange, .interestChange])
    poll(session)
  }

  /// Polls the new descriptor, if there is one.
  public func session(
    _ session: Session, didChangeStateFrom old: SessionState, to new: SessionState
  ) {
    poll(session)
  }

  private func poll(_ session: Session) {
    watch?.cancel()
    watch = nil
    guard let descriptor = session.descriptor else { return }
    do throws(Errno) {
      watch = try loop.watch(descriptor, for: session.interest) { [unowned session] in
        session.handle($0)
      }
    } catch {
      onFailure(error)
    }
  }

  /// Polls for other events.
  public func session(
    _ session: Session, didChangeInterestFrom old: Interest, to new: Interest
  ) {
    // Only a new watch can fail for lack of memory.
    _ = try? watch?.setInterest(session.interest)
  }
}
