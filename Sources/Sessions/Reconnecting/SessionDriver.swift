public import EventLoop
import Observing
import Posix
public import SerialCore
public import SystemPackage

/// Connects a session to an event loop: the loop polls the session's descriptor for
/// the session's interest.
///
/// It lasts until it is released, and does not retain the session.
public final class SessionDriver {
  private unowned let session: Session
  private let loop: IOLoop
  private let onFailure: (Errno) -> Void
  private var observations: [ObservationToken<SessionEvent>] = []
  private var watch: DescriptorWatch?

  /// Connects a session to a loop.
  ///
  /// - Parameters:
  ///   - session: the session. It is not retained.
  ///   - loop: the loop that polls its port.
  ///   - onFailure: called when the port cannot be polled: no memory, or no
  ///     watches. See epoll_ctl(2).
  public init(
    _ session: Session, on loop: IOLoop, onFailure: @escaping (Errno) -> Void = { _ in }
  ) {
    (self.session, self.loop, self.onFailure) = (session, loop, onFailure)
    observations = [
      session.observe(.stateChange, rank: .driver) { [unowned self] _ in poll() },
      session.observe(.interestChange, rank: .driver) { [unowned self] _ in
        watch?.setInterest(self.session.interest)
      },
    ]
    poll()
  }

  /// Polls the present descriptor, if there is one.
  private func poll() {
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
}
