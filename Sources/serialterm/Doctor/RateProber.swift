import EventLoop
import Observing
import Posix
import SerialCore
import Sessions
import TextTools

/// Listens at one baud rate after the other while the device sends. It sends nothing.
final class RateProber {
  private let frontEnd: HeadlessInterface
  private var observations: [ObservationToken<SessionEvent>] = []
  private var probe: RateProbe?
  private var timer: LoopTimer?
  private var reception: Hub.Subscription?
  private(set) var endpoint: Endpoint?

  private var session: Session { frontEnd.session }
  private var loop: IOLoop { frontEnd.loop }

  /// The time between two readings of the driver's counters.
  private static let interval = Duration.milliseconds(100)

  init(_ frontEnd: HeadlessInterface) {
    self.frontEnd = frontEnd
    observations = [
      session.observe(.stateChange) { [unowned self] in stateDidChange(from: $0.old, to: $0.new) },
      session.observe(.countersChange) { [unowned self] in
        let changes = $0.new.changes(since: $0.old)
        probe?.add(
          framingErrors: Int(changes.framingErrors), breaks: Int(changes.breaks), at: loop.now)
      },
    ]
  }

  /// Runs until the rate is found, or all rates were tried. Then it restores the settings
  /// of the port.
  ///
  /// - Returns: the search, nil if a signal ended it, and the exit status in that case.
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> (probe: RateProbe?, status: ExitStatus) {
    reception = frontEnd.hub.subscribe(as: .view) { [unowned self] bytes, _ in
      probe?.add(bytes, at: loop.now)
      step()
    }
    let events = frontEnd.events.observe { [unowned self] in if $0 == .ready { begin() } }
    let status = try withExtendedLifetime(events) { try frontEnd.run() }
    return (status == .done ? probe : nil, status)
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    guard case .open(let endpoint, let settings) = new, !old.isOpen else { return }
    self.endpoint = endpoint
    // The port has kept its own rate, so there is no difference to report.
    session.requestedSettings = settings
  }

  private func begin() {
    guard case .open(_, let settings) = session.state else { return }
    guard session.capabilities.contains(.settings) else {
      return frontEnd.finish(
        .failure(Failure(.usage, "--probe: this port has no line settings.")))
    }
    probe = RateProbe(at: settings.baudRate, countsErrors: session.counters != nil, now: loop.now)
    look()
  }

  private func look() {
    timer = loop.schedule(after: Self.interval) { [unowned self] in
      session.refreshCounters()
      look()
      step()
    }
  }

  private func step() {
    guard let step = probe?.step(at: loop.now) else { return }
    perform(step)
  }

  private func perform(_ step: RateProbe.Step) {
    switch step {
    case .wait: break
    case .finished: finish()
    case .set(let rate): set(rate)
    }
  }

  private func set(_ rate: UInt32) {
    guard case .open(_, var settings) = session.state else { return }
    settings.baudRate = rate
    session.apply(settings) { [unowned self] result in
      guard case .success(let actual) = result, actual.isNear(rate) else {
        if let step = probe?.skip() { perform(step) }
        return
      }
      session.refreshCounters()
      probe?.begin(rate, at: loop.now)
    }
  }

  private func finish() {
    timer = nil
    reception = nil
    frontEnd.finish(.success(.done))
  }
}

extension LineSettings {
  /// Whether text sent at another rate arrives intact: UARTs tolerate a few percent.
  fileprivate func isNear(_ rate: UInt32) -> Bool {
    abs(Int(baudRate) - Int(rate)) * 50 <= Int(rate)
  }
}

extension SessionConfiguration {
  /// The configuration that opens a port unchanged: the lines and the baud rate stay as they are.
  static func probing(_ target: Target) -> SessionConfiguration {
    var options = LinkOptions()
    options.keepsBaudRate = true
    return SessionConfiguration(
      target: target, settings: LineSettings(), linkOptions: options, onOpen: nil,
      reconnects: false, waitsForAbsentDevice: false, pacing: Pacing(), log: LogConfiguration(),
      isQuiet: true)
  }
}
