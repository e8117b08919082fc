package import DeviceWatch
import Observing
package import SerialCore
package import SystemPackage
import Time

/// Reconnects a session to its far end when that returns, at any path.
///
/// A ``Presence`` finds the far end. Without one, because only an attempt to open the far end shows
/// whether it is there, an attempt is made every ``LinkProvider/attemptInterval``.
package final class Reconnector {
  /// News for the user, or a question.
  package enum Report: Hashable {
    /// The far end has returned, but another program has it. Opening is retried.
    case held(SerialError)
    /// The far end has returned, but opening it has failed for longer than usual.
    case refused(SerialError)
    /// More than one device matches: see ``candidates``.
    case several([Device])
    /// Similar devices are present, and none of them is certainly the
    /// session's: see ``candidates``.
    case lookAlikes([Device])
    /// There are no candidates any more: they were removed, or the device was found.
    case settled
  }

  /// The devices that may be the session's, where only the user can tell.
  package private(set) var candidates: [Device] = []
  /// Whether the session has been open.
  package private(set) var hasBeenOpen = false
  /// Whether the user wants to wait for a port that cannot be opened now.
  package var waitsForPort = false
  /// Whether the first opening needs the device, which udev may report later than the path.
  package var needsDevice = false

  private let session: Session
  private var observations: [ObservationToken<SessionEvent>] = []
  private let presence: (any Presence)?
  private let scheduler: Scheduler
  private let attemptInterval: Duration
  private let onReport: (Report) -> Void
  private let mayOpen: (Endpoint, Device?) -> Bool
  private var presenceEvents: ObservationToken<PresenceEvent>?
  private var patience = ReturnPatience()
  /// The next attempt, unless an event comes earlier.
  private var retry: AnyObject?
  /// The time until which udev may still report a node that exists.
  private var udevLimit: MonotonicTime?
  /// The time of the last attempt without a presence.
  private var lastAttempt: MonotonicTime?

  /// Creates a reconnector. It does nothing before ``start()``.
  ///
  /// - Parameters:
  ///   - presence: nil if only an attempt shows whether the far end is there.
  ///   - attemptInterval: the time between two attempts without a presence.
  ///   - onReport: called with news and questions for the user.
  ///   - mayOpen: called before the far end is opened for the first time, with the device if udev
  ///     knows it. Returns whether to open it.
  package init(
    _ session: Session, to presence: (any Presence)?, on scheduler: Scheduler,
    attemptInterval: Duration = ReturnPatience.blindInterval,
    onReport: @escaping (Report) -> Void = { _ in },
    mayOpen: @escaping (Endpoint, Device?) -> Bool = { _, _ in true }
  ) {
    self.session = session
    self.presence = presence
    self.scheduler = scheduler
    self.attemptInterval = attemptInterval
    self.onReport = onReport
    self.mayOpen = mayOpen
  }

  /// Looks for the far end now, and after each event.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  package func start() throws(Errno) {
    startPatience()
    observations = [
      session.observe(.stateChange, rank: .reconnector) { [unowned self] in
        stateDidChange(from: $0.old, to: $0.new)
      }
    ]
    presenceEvents = presence?.events.observe { [unowned self] in handleEvent($0) }
    try presence?.start()
    if case .open(let endpoint, _) = session.state { didOpen(at: endpoint) }
    look()
  }

  /// The user has chosen a candidate.
  package func choose(_ device: Device) {
    presence?.choose(device)
    look()
  }

  // MARK: Events

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    if old.isOpen && !new.isOpen { presence?.didLeave() }
    switch new {
    case .open(let endpoint, _):
      endWait()
      // A change of settings does not change the far end.
      if !old.isOpen { didOpen(at: endpoint) }
    case .waitingForDevice(_, .absent), .waitingForDevice(_, .lost),
      .waitingForDevice(_, .released):
      startPatience()
      look()
      missIfReleased()
    case .waitingForDevice(_, .failed(let error)): tryAgain(after: error)
    case .released, .closed: endWait()
    case .opening: break
    }
  }

  private func didOpen(at endpoint: Endpoint) {
    hasBeenOpen = true
    presence?.didOpen(at: endpoint)
  }

  private func handleEvent(_ event: PresenceEvent) {
    switch event {
    case .changed: look()
    case .appeared:
      startPatience()
      look()
    case .removed(let isFarEnd): deviceWasRemoved(isFarEnd: isFarEnd)
    case .used:
      patience.portWasUsed(at: scheduler.now())
      look()
    }
  }

  private func deviceWasRemoved(isFarEnd: Bool) {
    switch session.state {
    case .open, .opening:
      if isFarEnd { session.deviceDidDisappear() }
    case .waitingForDevice(_, let reason):
      // If the far end appears again, a new wait begins.
      if isFarEnd, case .failed = reason { startPatience() }
      if !candidates.isEmpty { look() }
    case .released, .closed:
      if !candidates.isEmpty { look() }
    }
  }

  // MARK: Finding the far end

  /// Opens the far end if it is there. While the port is released to another program, it only
  /// stores the path: the user is not asked about it.
  private func look() {
    switch session.state {
    case .waitingForDevice(let endpoint, _):
      guard let presence else { return tryBlindly(at: endpoint) }
      handleFinding(presence.find(whileReleased: false))
    case .released:
      if case .present(let endpoint, _)? = presence?.find(whileReleased: true) {
        session.deviceDidReturn(at: endpoint)
      }
    case .closed, .opening, .open: break
    }
  }

  private func handleFinding(_ finding: PresenceFinding) {
    switch finding {
    case .absent: offer([], .settled)
    case .present(let endpoint, let device):
      offer([], .settled)
      open(endpoint, device)
    case .unidentified(let endpoint):
      if !isUdevAwaited() { open(endpoint, nil) }
    case .lookAlikes(let devices): offer(devices, .lookAlikes(devices))
    case .several(let devices): offer(devices, .several(devices))
    // Exhausted descriptors or watches may become available later. No event reports that.
    case .failed(let error): tryAgain(after: error)
    }
  }

  private func offer(_ devices: [Device], _ report: Report) {
    guard devices != candidates else { return }
    candidates = devices
    onReport(report)
  }

  /// Opens the far end. The first time, it does so only if it may.
  private func open(_ endpoint: Endpoint, _ device: Device?) {
    guard hasBeenOpen || mayOpen(endpoint, device) else { return }
    session.deviceDidReturn(at: endpoint)
  }

  private func tryBlindly(at endpoint: Endpoint) {
    let now = scheduler.now()
    let wait = lastAttempt.map { $0 + attemptInterval - now } ?? .zero
    guard wait <= .zero else { return lookAgain(after: wait) }
    lastAttempt = now
    open(endpoint, nil)
  }

  /// Whether to wait until udev reports the device of an endpoint, because the first opening needs
  /// it. The wait is limited.
  private func isUdevAwaited() -> Bool {
    guard needsDevice, !hasBeenOpen else { return false }
    let now = scheduler.now()
    let limit = udevLimit ?? now + ReturnPatience.permissions
    udevLimit = limit
    guard now < limit else { return false }
    lookAgain(after: limit - now)
    return true
  }

  /// Ends the session if it does not wait for lost devices, and its device was lost while the
  /// port was released.
  private func missIfReleased() {
    // Without a presence, the attempt that shows it may still be due.
    guard presence != nil, case .waitingForDevice(_, .released) = session.state else { return }
    session.deviceIsMissing()
  }

  // MARK: Waiting

  private func endWait() {
    retry = nil
    presence?.endWait()
    startPatience()
    if !candidates.isEmpty {
      candidates = []
      onReport(.settled)
    }
  }

  private func startPatience() {
    patience = ReturnPatience(
      wasAskedFor: waitsForPort && !hasBeenOpen, hasPresence: presence != nil)
  }

  private func tryAgain(after error: SerialError) {
    let watch = presence?.didFail(with: error) ?? FailureWatch()
    // The cause may have disappeared before the watch began.
    guard !watch.isNew else { return lookAgain(after: .zero) }
    let advice = patience.failed(
      with: error, at: scheduler.now(), isWatched: watch.reportsAccess,
      isUseWatched: watch.reportsUse)
    if let delay = advice.retry { lookAgain(after: delay) } else { retry = nil }
    switch advice.report {
    case .held: onReport(.held(error))
    case .refused: onReport(.refused(error))
    case nil: break
    }
  }

  private func lookAgain(after delay: Duration) {
    retry = scheduler.schedule(after: delay) { [unowned self] in look() }
  }
}
