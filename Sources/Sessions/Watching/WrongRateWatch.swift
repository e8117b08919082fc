package import EventLoop
import Observing
package import SerialCore

/// Detects that the bytes of a session look like those of a wrong baud rate, once for each opening
/// and each rate.
///
/// It examines only the first bytes, until the result is clear, and again when the driver counts
/// many errors. Other bytes do not pass through it.
package final class WrongRateWatch {
  /// Whether the rate looks wrong. It stays true until the port is opened again, or
  /// gets another rate.
  @Observed package private(set) var looksWrong = false
  /// Whether bytes are examined. Bytes of a script, a file transfer or a hexadecimal view need
  /// not be text.
  package var isOn = false {
    didSet {
      if isOn != oldValue { begin() }
    }
  }

  private let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let hub: Hub
  private let loop: IOLoop
  private var detector = WrongRateDetector()
  private var subscription: Hub.Subscription?
  /// The number of errors since the examination stopped.
  private var errorCount = 0

  package init(_ session: Session, _ hub: Hub, on loop: IOLoop) {
    (self.session, self.hub, self.loop) = (session, hub, loop)
    observations = [
      session.observe(.stateChange) { [unowned self] in stateDidChange(from: $0.old, to: $0.new) },
      session.observe(.lineError) { [unowned self] in add($0) },
      session.observe(.countersChange) { [unowned self] in
        guard isOn else { return }
        let changes = $0.new.changes(since: $0.old)
        count(framingErrors: Int(changes.framingErrors), breaks: Int(changes.breaks))
      },
    ]
  }

  /// Starts or stops the examination.
  private func begin() {
    detector = WrongRateDetector()
    errorCount = 0
    guard isOn, !looksWrong else { return subscription = nil }
    guard subscription == nil else { return }
    subscription = hub.subscribe(as: .listener) { [unowned self] bytes, _ in
      detector.add(bytes, at: loop.now)
      act()
    }
  }

  private func act() {
    guard detector.verdict != .undecided else { return }
    subscription = nil
    if detector.verdict == .wrongRate { looksWrong = true }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    guard new.lineSettings != nil, old.lineSettings != new.lineSettings else { return }
    looksWrong = false
    begin()
  }

  /// Counts marked errors where the driver has no counters. The marked byte is not among
  /// the received ones.
  private func add(_ error: LineError) {
    guard isOn, session.counters == nil else { return }
    switch error {
    case .damaged: count(framingErrors: 1, breaks: 0)
    case .breakOrDamagedZero: count(framingErrors: 0, breaks: 1)
    }
  }

  private func count(framingErrors: Int, breaks: Int) {
    if subscription == nil {
      errorCount += framingErrors + breaks
      if errorCount >= WrongRateDetector.fewestErrors { begin() }
    }
    guard subscription != nil else { return }
    detector.add(framingErrors: framingErrors, breaks: breaks, at: loop.now)
    act()
  }
}

extension SessionState {
  /// The settings of the open port; nil if it is not open.
  fileprivate var lineSettings: LineSettings? {
    if case .open(_, let settings) = self { settings } else { nil }
  }
}
