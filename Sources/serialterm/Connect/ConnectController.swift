import EventLoop
import Glibc
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
  private var log: LogFile?
  private let input: InputPump
  let model: TerminalStateModel
  let statistics = Statistics()
  private let holdDetector: HoldDetector
  private let binder: TargetBinder
  private(set) lazy var refusals = RefusalReport(on: loop) { [unowned self] in console.say($0) }
  private var signals: SignalWatch?
  private var drain: Drain?
  private var timer: Timer?
  private var lostAt: MonotonicTime?
  var breakTimer: Timer?
  private var inputFailure: Failure?
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
      settings: configuration.settings, waitsForLostDevice: configuration.reconnects,
      writeCapacity: InputPump.queueCapacity(isTerminal: terminal != nil)
    ) { (path, settings) throws(SerialError) in
      try TermiosLink(opening: path, settings: settings, isExclusive: isExclusive)
    }
    driver = SessionDriver(session, on: loop)
    holdDetector = HoldDetector(session, on: loop)
    binder = TargetBinder(
      session, on: loop, waitsForAbsentDevice: configuration.waitsForAbsentDevice)
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
    guard configuration.target != nil || terminal != nil else {
      throw Failure(.usage, "no device was named, and there is no terminal to ask on. See --help.")
    }
    try binder.bind(to: configuration.target)
    try openLog()
    session.addObserver(self)
    // From here on the user's terminal is ours, and given back on every way out.
    defer { giveBack() }
    try terminal?.makeRaw()
    connectParts()
    startReconnecting()
    greet()
    try input.start(on: loop)
    while outcome == nil { try loop.turn() }
    return try verdict(outcome!)
  }

  /// Opens the log when the device is there: a failed attempt leaves no file behind. It hears of
  /// bytes before everything that shows them.
  private func openLog() throws(Failure) {
    guard let path = configuration.log else { return }
    let log = try LogFile(path, appends: configuration.appendsToLog)
    session.addObserver(log)
    self.log = log
  }

  private func connectParts() {
    console.onOutputGone = { [unowned self] _ in outputIsGone() }
    console.onRoom = { [unowned self] in session.isReadingPaused = false }
    log?.onFailure = { [unowned self] in
      console.warn("the log cannot be written (\($0)): what comes now is missing from it.")
    }
    log?.onRecovery = { [unowned self] in
      console.warn("the log goes on; \($0.grouped) bytes are missing.")
    }
    input.onCommand = { [unowned self] in perform($0) }
    input.onTyped = { [unowned self] in
      // Standard output that is no terminal gets what the device sends, and nothing else.
      if model.state.echoesLocally && console.isOutputTerminal { console.show($0) }
    }
    input.onRefused = { [unowned self] in refuse($0) }
    input.onEnd = { [unowned self] in inputEnded($0) }
    driver.onFailure = { [unowned self] in
      finish(.failure(Failure(.otherFailure, "the port cannot be watched: \($0).")))
    }
    holdDetector.onChange = { [unowned self] in heldChanged($0) }
  }

  // MARK: Beginning

  private func greet() {
    warnOfDifferences()
    let prefix = configuration.prefix
    let keys =
      prefix == .none
      ? "No key quits: 'kill \(getpid())' does."
      : "\(prefix) q quits, \(prefix) ? lists the commands."
    switch session.state {
    case .open(let path, let settings):
      let name = configuration.target?.simulationName ?? path.string
      if terminal != nil { console.say("\(name) at \(settings). \(keys)") }
    case .waitingForDevice(let path, _):
      console.say("waiting for \(path).\(terminal == nil ? "" : " \(keys)")")
    case .closed, .opening: break
    }
  }

  private func startReconnecting() {
    do throws(Errno) {
      try binder.startReconnecting { [unowned self] in console.say(Failure($0).message) }
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
      warnOfUnsent(session.queuedByteCount)
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
      console.warn(
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
    if let error { inputFailure = Failure(.otherFailure, "standard input: \(error).") }
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
      warnOfUnsent(unsent)
      waitForAnswer(linger)
    }
  }

  private func warnOfUnsent(_ count: Int) {
    if count > 0 { console.warn("\(count.grouped) bytes were not sent.") }
  }

  /// Ends after a while, and when a pipe has taken everything: time that it holds us is not counted.
  private func waitForAnswer(_ linger: Duration) {
    timer = loop.schedule(after: linger) { [unowned self] in
      guard !console.isOutputTerminal, !console.isDrained else { return finish(.success(.done)) }
      console.onDrained = { [unowned self] in
        console.onDrained = {}
        waitForAnswer(linger)
      }
    }
  }

  /// Ends the session; the first reason counts.
  private func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// What went wrong on the way outweighs a good end: a script must know.
  private func verdict(_ outcome: Result<ExitStatus, Failure>) throws(Failure) -> ExitStatus {
    let status = try outcome.get()
    guard status == .done else { return status }
    if let inputFailure { throw inputFailure }
    if terminal == nil && refusals.total > 0 {
      throw Failure(.otherFailure, "\(refusals.total.grouped) bytes were not sent: read-only.")
    }
    if let log, log.missingCount > 0 {
      throw Failure(.logFailed, "\(log.path): \(log.missingCount.grouped) bytes not logged.")
    }
    return status
  }

  /// The user's terminal first: closing a device may take its time.
  private func giveBack() {
    input.stop()
    refusals.flush()
    let untaken = console.finish(within: Self.showPatience)
    terminal?.restore()
    if untaken > 0 && !console.isOutputTerminal {
      console.warn("\(untaken.grouped) bytes were received and not written: nobody took them.")
      _ = console.finish(within: .zero)
    }
    session.removeObserver(self)
    session.close()
  }
}
