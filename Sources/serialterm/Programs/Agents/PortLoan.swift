import EventLoop
import Posix
import Sessions
import SystemPackage

/// The port of a session in another program, borrowed for a flasher. Asking that program may take
/// time, so a thread does it. Releasing this object gives the port back.
final class PortLoan {
  private struct Progress: Sendable {
    /// Whether a session had the port, or why it keeps it; nil before it has replied.
    var answer: Result<Bool, Failure>?
    var isWanted = true
    var isReturned = false

    var event: Event? {
      switch answer {
      case nil: nil
      case .failure(let failure): .refused(failure.message)
      case .success(false): .refused("the session has no port to release")
      case .success(true): isReturned ? .returned : .released
      }
    }
  }

  /// A change of a loan.
  enum Event {
    /// The session has released the port.
    case released
    /// The session keeps the port, for this reason.
    case refused(String)
    /// The session has the port again, or waits for it.
    case returned
  }

  private let progress: Guarded<Progress>
  private let watch: DescriptorWatch

  /// Asks for a port.
  ///
  /// - Parameter onEvent: called in a turn of the loop.
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  init(
    of request: ControlRequest, on loop: IOLoop, onEvent: @escaping (Event) -> Void
  ) throws(Errno) {
    let (progress, pipe) = (Guarded(Progress()), try WakePipe())
    self.progress = progress
    // It uses no property: the receiver of the event may release this object.
    watch = try loop.watch(pipe.reader, for: .reading) { _ in
      pipe.clear()
      if let event = progress.withLock({ $0.event }) { onEvent(event) }
    }
    do throws(Errno) {
      try DetachedThread.run {
        do throws(Failure) {
          let port = try ReleasedPort(asking: request, say: { _ in })
          let wasHeld = port.wasHeld
          progress.withLock { $0.answer = .success(wasHeld) }
          pipe.wake()
          progress.wait(until: nil) { !$0.isWanted }
          port.returnPort(say: { _ in })
        } catch {
          progress.withLock { $0.answer = .failure(error) }
        }
        progress.withLock { $0.isReturned = true }
        pipe.wake()
      }
    } catch {
      watch.cancel()
      throw error
    }
  }

  deinit {
    watch.cancel()
    giveBack()
  }

  /// Starts to give the port back.
  func giveBack() { progress.withLock { $0.isWanted = false } }
}
