import EventLoop
import Observing
import SerialCore

/// Reports that the far end has changed the settings of the open port: another member of its
/// session, or the server itself.
final class SettingsWatch {
  private let session: Session
  private let loop: IOLoop
  private let report: (LineSettings) -> Void
  private var stateChanges: ObservationToken<SessionEvent>?
  private var pause: LoopTimer?
  /// The settings that the user knows.
  private var known: LineSettings?

  /// The time in which several changes are one. A server reports each setting by itself.
  static let pause = Duration.milliseconds(100)

  /// Creates a watch.
  ///
  /// - Parameter report: called with the new settings.
  init(_ session: Session, on loop: IOLoop, report: @escaping (LineSettings) -> Void) {
    (self.session, self.loop, self.report) = (session, loop, report)
    stateChanges = session.observe(.stateChange) { [unowned self] in look(from: $0.old, to: $0.new)
    }
  }

  private func look(from old: SessionState, to new: SessionState) {
    guard case .open(_, let before) = old, case .open = new else { return pause = nil }
    // The user knows the result of his own change.
    guard !session.appliesSettings else { return pause = nil }
    if pause == nil { known = before }
    pause = loop.schedule(after: Self.pause) { [unowned self] in
      pause = nil
      if case .open(_, let now) = session.state, now != known { report(now) }
    }
  }
}
