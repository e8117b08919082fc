import EventLoop
import Glibc
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import Time

/// The running program: one loop, one console, any number of sessions, and the way in
/// which it ends.
///
/// The ``FrontEnd`` decides what a person or a script does with the sessions.
final class App {
  let loop: IOLoop
  let console: Console
  /// The serial ports of this computer.
  let devices: DeviceCatalog
  private let providers: LinkProviders
  private(set) var ports: [Port] = []
  /// The number of ports that were added so far.
  private var addedCount = 0
  /// The logs that several ports share; nil if there are none.
  private(set) var sharedLogs: SharedLogs?
  /// The outcome of the program; nil while it continues.
  private(set) var outcome: Result<ExitStatus, Failure>?
  private var signals: SignalWatch?
  private var signalCount = 0
  /// The alerts; nil if there are none.
  let alerts: AlertCenter?
  /// The ELF files that explain addresses.
  let symbols: SymbolCenter
  /// The user of the sessions, once the program runs.
  weak var frontEnd: (any FrontEnd)?

  /// Creates a program without sessions.
  ///
  /// - Parameters:
  ///   - devices: the serial ports of this computer.
  ///   - providers: the known kinds of endpoints.
  ///   - streams: the streams for bytes and messages.
  ///   - clock: the clock for the timers.
  ///   - isRaw: whether the user's terminal will be in raw mode.
  ///   - alerts: the alert rules.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    among devices: DeviceCatalog, from providers: LinkProviders = .standard,
    on streams: TerminalStreams = .standard, clock: @escaping () -> MonotonicTime = { .now },
    isQuiet: Bool, isRaw: Bool, alerts: [AlertRule] = []
  ) throws(Errno) {
    self.devices = devices
    self.providers = providers
    loop = try IOLoop(clock: clock)
    console = try Console(streams, on: loop, isQuiet: isQuiet, isRaw: isRaw)
    symbols = SymbolCenter(on: console, loop: loop)
    self.alerts = alerts.isEmpty ? nil : AlertCenter(alerts, on: console, loop: loop)
  }

  /// Adds a port with its session. The front end opens it, and decides what its end means.
  ///
  /// - Parameters:
  ///   - keys: the user's keys for messages; nil without a user.
  ///   - own: the kinds of endpoints for this port; nil for those of the program.
  func add(
    _ configuration: SessionConfiguration, in state: TerminalState, writeCapacity: Int,
    keys: CommandKeys? = nil, from own: LinkProviders? = nil
  ) -> Port {
    let controller = SessionController(
      configuration, among: devices, on: loop, from: own ?? providers,
      writeCapacity: writeCapacity)
    let narrator = SessionNarrator(
      of: controller, on: console, keys: keys, namesKeys: ports.isEmpty)
    let port = Port(controller, in: state, narrator: narrator, on: console, loop: loop)
    port.server.number = addedCount
    addedCount += 1
    port.adopt(configuration)
    port.log.shared = sharedLogs
    ports.append(port)
    alerts?.watch(port)
    return port
  }

  /// Joins the logs that several ports name. Call it after all ports of the command line were
  /// added, and before they are bound.
  func shareLogs() {
    sharedLogs = SharedLogs(among: ports.map(\.log.configuration), on: loop)
    for port in ports { port.log.shared = sharedLogs }
  }

  /// Starts the logs that several ports share. Call it when the ports are bound, before the first
  /// turn of the loop.
  func beginSharedLogs() throws(Failure) {
    do throws(LogError) {
      try sharedLogs?.begin()
    } catch {
      throw Failure(error)
    }
  }

  /// Removes a port that could not be opened.
  func remove(_ port: Port) { ports.removeAll { $0 === port } }

  /// Ends the session of a port while the program goes on, and removes the port.
  ///
  /// - Parameter reason: for others who have joined the session.
  func close(_ port: Port, because reason: String) {
    port.lineCommands.end()
    port.controller.finishSending()
    port.controller.sharing.end(because: reason)
    port.log.finish()
    port.controller.close()
    remove(port)
  }

  /// Ends the program. Only the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// Runs the program to its end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run(_ frontEnd: any FrontEnd) throws -> ExitStatus {
    self.frontEnd = frontEnd
    signals = try loop.watchSignals(ExitStatus.endingSignals + frontEnd.signals) {
      [unowned self] in handle(signal: $0)
    }
    try runToEnd(frontEnd)
    var outcome = outcome ?? .success(.done)
    for port in ports { outcome = port.verdict(on: outcome) }
    return try frontEnd.verdict(on: outcome).get()
  }

  /// Handles a signal. After the end, a signal also ends the wait for a reader.
  func handle(signal: CInt) {
    signalCount += 1
    if frontEnd?.handle(signal: signal) != true { outcome = .success(.signal(signal)) }
  }

  private func runToEnd(_ frontEnd: any FrontEnd) throws {
    defer { close(frontEnd) }
    // Opening a port may reset a board. It is not opened if standard output is already closed.
    if outcome == nil { try frontEnd.open() }
    if outcome == nil { try runSessions(frontEnd) }
  }

  private func runSessions(_ frontEnd: any FrontEnd) throws {
    let control = ControlServer.start(on: loop) { [unowned self] in
      // A user who has joined a session does not offer that session again.
      ports.map(\.controller).filter { $0.session.state.endpoint?.kind != .session }
    }
    defer { control?.stop() }
    try frontEnd.begin()
    while outcome == nil {
      try frontEnd.advance()
      if outcome == nil { try loop.turn() }
    }
    try endTransfers()
    try frontEnd.finishOutput()
  }

  /// Ends the file transfers. Without this, the device would wait for the rest; it may listen only
  /// between blocks. A second signal cuts this short.
  private func endTransfers() throws(Errno) {
    func isNeeded() -> Bool {
      ports.contains { $0.controller.sending.exchange?.takesLeave == true }
    }
    guard isNeeded() else { return }
    let count = signalCount
    for port in ports { port.controller.sending.exchange?.leave() }
    let deadline = loop.now + transferPatience
    while isNeeded(), signalCount == count, loop.now < deadline {
      try loop.turn(waitingAtMost: deadline - loop.now)
    }
  }

  /// The time limit for the end of a transfer. A person who stops it can wait; a service
  /// manager does not.
  private var transferPatience: Duration {
    if case .success(.signal(let number)) = outcome, number != SIGINT { return .milliseconds(450) }
    return .milliseconds(1_500)
  }

  /// Continues after the end while an operation must not be cut off. A signal, or an output that is
  /// gone, ends this and determines the outcome.
  ///
  /// - Throws: the errors of epoll_wait(2).
  func runOn(while isNeeded: () -> Bool) throws(Errno) {
    let ended = outcome
    while isNeeded() {
      if case .success(.signal) = outcome { return }
      if case .failure(let failure) = outcome, failure.status == .outputGone { return }
      outcome = nil
      try loop.turn()
      outcome = outcome ?? ended
    }
  }

  // MARK: The end

  /// The maximum time for a terminal to show the last messages.
  private static let messagePatience = Duration.milliseconds(20)

  /// The reason of the end, for others who have joined the program's sessions.
  private var reasonForOthers: String {
    switch outcome {
    case .failure(let failure) where !failure.message.isEmpty: failure.message
    case .success(.signal(let number)): "it \(ExitStatus.ending(bySignal: number))"
    case .success, .failure, nil: "it was closed"
    }
  }

  /// Ends all sessions, and their logs before them.
  func endSessions() {
    endSharing()
    finishLogs()
    for port in ports { port.controller.close() }
  }

  private func endSharing() {
    for port in ports { port.controller.finishSending() }
    for port in ports { port.controller.sharing.end(because: reasonForOthers) }
    alerts?.finish()
  }

  private func finishLogs() {
    for port in ports { port.log.close() }
    let deadline = MonotonicTime.now + SessionLogger.patience
    for port in ports { port.log.finish(by: deadline) }
  }

  /// Closes everything. The user's terminal comes first: closing a log or a device may take time.
  func close(_ frontEnd: any FrontEnd) {
    frontEnd.stop()
    endSharing()
    frontEnd.finishDisplay()
    finishLogs()
    _ = console.finish(within: Self.messagePatience)
    console.giveUp()
    for port in ports { port.controller.close() }
  }
}
