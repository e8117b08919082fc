package import EventLoop
package import Posix
package import SerialCore

/// Detects that the device holds the line, by XOFF or CTS: bytes are queued, and the driver takes none.
package final class HoldDetector: SessionObserver {
  /// A change of the hold.
  package enum Change: Hashable {
    /// Bytes are queued, and the device has taken none for a while.
    case began
    /// The device takes bytes again.
    case released
    /// No bytes are queued any more, because they were discarded or the port was closed. It is unknown whether the
    /// device would take bytes.
    case dropped
  }

  /// Called when a hold begins and when it ends.
  package var onChange: (Change) -> Void = { _ in }

  private unowned let session: Session
  private let loop: IOLoop
  private var watch: StandstillWatch?
  private var isHeld = false

  /// The time without progress after which it is a hold.
  private static let standstill = Duration.milliseconds(500)

  package init(_ session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
    session.addObserver(self, of: [.sent, .interestChange])
  }

  package func session(_ session: Session, didSend bytes: RawSpan, by author: Author) {
    guard isHeld else { return }
    end(.released)
    if session.interest.contains(.writing) { startWatch() }
  }

  package func session(
    _ session: Session, didChangeInterestFrom old: Interest, to new: Interest
  ) {
    if new.contains(.writing) {
      if watch == nil && !isHeld { startWatch() }
    } else {
      watch = nil
      end(.dropped)
    }
  }

  private func startWatch() {
    watch = StandstillWatch(session, on: loop, limit: Self.standstill) { [unowned self] in
      watch = nil
      isHeld = true
      onChange(.began)
    }
  }

  private func end(_ change: Change) {
    guard isHeld else { return }
    isHeld = false
    onChange(change)
  }
}
