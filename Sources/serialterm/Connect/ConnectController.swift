import DeviceWatch
import EventLoop
import Glibc
import Loopback
import Posix
import SerialCore
import SystemPackage

/// Runs a session between the user and a device: joins the parts, and decides when it is over.
final class ConnectController: SessionObserver {
  let configuration: ConnectConfiguration
  let loop: EventLoop
  private let terminal: UserTerminal?
  let console: Console
  let session: Session
  private let driver: SessionDriver
  private let input: InputPump
  let model: TerminalStateModel
  let statistics = Statistics()
  private let holdDetector: HoldDetector
  private var devices: DeviceWatcher?
  private var simulation: SimulatedPort?
  private var reconnector: Reconnector?
  private var signals: SignalWatch?
  private var drain: Drain?
  private var timer: Timer?
  private var lostAt: MonotonicTime?
  var breakTimer: Timer?
  /// How the session ends; nil while it goes on.
  private var outcome: Result<ExitStatus, Failure>?

  /// How long the user's terminal may take over what is left to show.
  private static let showPatience = Duration.milliseconds(200)

  /// Creates a session and its surroundings; the user's terminal is not touched yet.
  ///
  /// - Throws: ``Failure``.
  init(_ configuration: ConnectConfiguration) throws {
    self.configuration = configuration
    loop = try EventLoop()
    terminal = UserTerminal()
    console = try Console(on: loop, isQuiet: configuration.isQuiet, isRaw: terminal != nil)
    let isExclusive = configuration.isExclusive
    session = Session(
      settings: configuration.settings, waitsForLostDevice: configuration.reconnects
    ) { (path, settings) throws(SerialError) in
      try TermiosLink(opening: path, settings: settings, isExclusive: isExclusive)
    }
    driver = SessionDriver(session, on: loop)
    holdDetector = HoldDetector(session, on: loop)
    input = InputPump(
      to: session, isTerminal: terminal != nil, isReadOnly: configuration.isReadOnly,
      prefix: configuration.prefix)
    model = TerminalStateModel(
      TerminalState(
        requestedSettings: configuration.settings, isReadOnly: configuration.isReadOnly,
        reconnects: configuration.reconnects, echoesLocally: configuration.echoesLocally))
    for observer in [model, statistics] as [any SessionObserver] { session.addObserver(observer) }
  }

  /// Runs the session to its end.
  ///
  /// - Throws: ``Failure``.
  func run() throws -> ExitStatus {
    let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT]
    signals = try loop.watchSignals(heard) { [unowned self] in take(signal: $0) }
    session.addObserver(self)
    try bind()
    // From here on the user's terminal is ours, and given back on every way out.
    defer { giveBack() }
    try terminal?.makeRaw()
    greet()
    connectParts()
    try input.start(on: loop)
    // Enumerating devices takes longer than opening one: bytes first.
    loop.atEndOfTurn { [unowned self] in startReconnector() }
    while outcome == nil { try loop.turn() }
    return try outcome!.get()
  }

  private func connectParts() {
    console.onOutputGone = { [unowned self] _ in outputIsGone() }
    console.onRoom = { [unowned self] in session.isReadingPaused = false }
    input.onCommand = { [unowned self] in perform($0) }
    input.onTyped = { [unowned self] in if model.state.echoesLocally { console.show($0) } }
    input.onRefused = { [unowned self] in refuse($0) }
    input.onEnd = { [unowned self] in inputEnded($0) }
    holdDetector.onChange = { [unowned self] in heldChanged($0) }
    reconnector?.onFailure = { [unowned self] in console.say(Failure($0).message) }
  }

  // MARK: Beginning

  /// Finds the device, and opens it or waits for it.
  private func bind() throws {
    switch configuration.target {
    case .loopback(let kind):
      let port = try SimulatedPort(kind, on: loop)
      simulation = port
      try open(port.path)
    case .node(let path):
      reconnector = reconnector(to: .path(PathBinding(path)))
      try open(path)
    case .device(let selector):
      let present = try startedDevices().devices
      if let device = try TargetResolver.device(matching: selector, among: present) {
        try open(device, among: present)
      } else if configuration.waitsForAbsentDevice {
        reconnector = reconnector(to: .selector(selector))
        try session.waitForDevice(at: FilePath("\(selector)"))
      } else {
        throw Failure(
          .deviceNotFound, "\(selector): no such device is there; --wait waits for it.")
      }
    case nil:
      guard terminal != nil else {
        throw Failure(
          .usage, "no device was named, and there is no terminal to ask on. See --help.")
      }
      let present = try startedDevices().devices
      try open(try TargetResolver.onlyDevice(among: present), among: present)
    }
  }

  private func reconnector(to binding: Reconnector.Binding) -> Reconnector {
    Reconnector(session, to: binding, on: loop)
  }

  private func startedDevices() throws(Errno) -> DeviceWatcher {
    if let devices { return devices }
    let watcher = DeviceWatcher(source: try UdevSource())
    try watcher.startIfNeeded()
    devices = watcher
    return watcher
  }

  private func open(_ device: Device, among present: [Device]) throws {
    reconnector = reconnector(to: .identity(IdentityMatcher(for: device, among: present)))
    try open(device.node)
  }

  private func open(_ path: FilePath) throws {
    do throws(SerialError) {
      try session.open(path)
    } catch {
      guard error.code == .notFound, configuration.waitsForAbsentDevice else {
        throw Failure(error)
      }
      try session.waitForDevice(at: path)
    }
  }

  private func greet() {
    guard terminal != nil, let prefix = configuration.prefix.byte.map({ _ in configuration.prefix })
    else { return }
    let keys = "\(prefix) q quits, \(prefix) ? lists the commands."
    switch session.state {
    case .open(let path, let settings):
      console.say("\(configuration.target?.simulationName ?? path.string) at \(settings). \(keys)")
    case .waitingForDevice(let path, _):
      console.say("waiting for \(path). \(keys)")
    case .closed, .opening: break
    }
    warnOfDifferences()
  }

  private func startReconnector() {
    guard let reconnector else { return }
    do throws(Errno) {
      // Without netlink, as in some sandboxes, a path is still found again.
      try reconnector.start(watching: try? startedDevices())
    } catch {
      console.say("devices cannot be watched (\(error)): a lost one will not be found again.")
    }
  }

  // MARK: What the session did

  func session(_ session: Session, didReceive bytes: RawSpan) {
    bytes.withUnsafeBytes { console.show($0) }
    if console.isCrowded { session.isReadingPaused = true }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice(let path, _)):
      lostAt = .now
      console.say("\(path) is gone, waiting for it to come back.")
      discardUnsent()
    case (.opening(_, after: .some), .open(let path, _)):
      console.say("\(path) is back\(absence()).")
      warnOfDifferences()
    case (_, .closed(.lost(let error))):
      finish(.failure(Failure(error)))
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _):
      break
    }
  }

  private func heldChanged(_ isHeld: Bool) {
    model.update { $0.isHeld = isHeld }
    // A hold that ends with the port was not ended by the device.
    guard session.state.isOpen else { return }
    console.say(isHeld ? "held by the device: it takes nothing." : "the device takes bytes again.")
  }

  /// What somebody typed to a device that has gone must not reach whatever comes back. What a
  /// program pipes is one stream, and goes on.
  private func discardUnsent() {
    guard terminal != nil else { return }
    let count = session.discardUnsent()
    if count > 0 { console.say("\(count.grouped) bytes were not sent.") }
  }

  private func absence() -> String {
    guard let lostAt else { return "" }
    let tenths = (MonotonicTime.now - lostAt).nanoseconds / 100_000_000
    return " after \(tenths / 10).\(tenths % 10) s"
  }

  private func warnOfDifferences() {
    guard case .open(_, let actual) = session.state else { return }
    for difference in session.requestedSettings.differences(from: actual) {
      console.say(
        "warning: \(difference.setting) \(difference.requested) was asked for, "
          + "the driver set \(difference.actual).")
    }
  }

  // MARK: Signals

  private func take(signal: CInt) {
    switch signal {
    case SIGTSTP:
      terminal?.restore()
      // SIGTSTP itself is blocked. The next line runs when somebody continues us.
      raise(SIGSTOP)
    case SIGCONT:
      // From the background this stops us again, by SIGTTOU, as it should.
      _ = try? terminal?.retake()
    default: finish(.success(.signal(signal)))
    }
  }

  // MARK: Ending

  private func inputEnded(_ error: Errno?) {
    if terminal != nil {
      // The user's terminal is gone; the kernel says so by SIGHUP as well, to a session's leader.
      return finish(.success(.signal(SIGHUP)))
    }
    finishAfterSending(patience: nil, thenWaitingFor: configuration.linger)
  }

  private func outputIsGone() {
    let isTerminal = console.isOutputTerminal
    finish(isTerminal ? .success(.signal(SIGHUP)) : .failure(Failure(.outputGone, "")))
  }

  /// Ends when the driver has sent everything, or its patience is at an end.
  func finishAfterSending(
    patience: Drain.Patience?, thenWaitingFor linger: Duration = .zero
  ) {
    input.stop()
    drain = Drain(session, on: loop, patience: patience) { [unowned self] unsent in
      if unsent > 0 { console.say("\(unsent.grouped) bytes were not sent.") }
      timer = loop.schedule(after: linger) { [unowned self] in finish(.success(.done)) }
    }
  }

  /// Ends the session; the first reason counts.
  private func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// The user's terminal first: closing a device may take its time.
  private func giveBack() {
    input.stop()
    _ = console.finish(within: Self.showPatience)
    terminal?.restore()
    session.removeObserver(self)
    session.close()
  }
}
