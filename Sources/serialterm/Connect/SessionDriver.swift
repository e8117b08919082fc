import EventLoop
import SerialCore
import SystemPackage

/// Joins a session to the loop: watches its descriptor for what the session wants to be told of.
final class SessionDriver: SessionObserver {
  /// Called when the port cannot be watched: out of memory, or of watches.
  var onFailure: (Errno) -> Void = { _ in }

  private let loop: EventLoop
  private var watch: DescriptorWatch?

  /// Joins them. Must be the session's first observer: when the port is closed its number is free,
  /// and may belong to another file as soon as somebody else hears of it.
  init(_ session: Session, on loop: EventLoop) {
    self.loop = loop
    session.addObserver(self)
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
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

  func session(
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
