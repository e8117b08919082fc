package import EventLoop
import Observing
import Posix
package import SerialCore

/// Detects that the device holds the line, by XOFF or CTS: bytes are queued, and the
/// driver takes none.
package final class HoldDetector {
  /// Whether the device accepts bytes.
  package enum Acceptance: Hashable {
    /// Unknown: nothing was held yet, or the held bytes were discarded or the port was closed.
    case unknown
    /// Bytes are queued, and the device has taken none for a while.
    case held
    /// The device takes bytes again after a hold.
    case resumed
  }

  /// Whether the device accepts bytes.
  @Observed package private(set) var acceptance = Acceptance.unknown

  private unowned let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let loop: IOLoop
  private var watch: StandstillWatch?

  /// The time without progress after which it is a hold.
  private static let standstill = Duration.milliseconds(500)

  package init(_ session: Session, on loop: IOLoop) {
    self.session = session
    self.loop = loop
    observations = [
      session.observe(.sent) { [unowned self] _ in deviceTookBytes() },
      session.observe(.interestChange) { [unowned self] in interestDidChange(to: $0.new) },
    ]
  }

  private func deviceTookBytes() {
    guard acceptance == .held else { return }
    acceptance = .resumed
    if session.interest.contains(.writing) { startWatch() }
  }

  private func interestDidChange(to new: Interest) {
    if new.contains(.writing) {
      if watch == nil && acceptance != .held { startWatch() }
    } else {
      watch = nil
      if acceptance == .held { acceptance = .unknown }
    }
  }

  private func startWatch() {
    watch = StandstillWatch(session, on: loop, limit: Self.standstill) { [unowned self] in
      watch = nil
      acceptance = .held
    }
  }
}
