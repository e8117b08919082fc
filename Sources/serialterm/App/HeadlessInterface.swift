import DeviceWatch
import EventLoop
import Framing
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TextStages
import Time

/// The front end of the commands without a user, such as `send`, `run` and `log`. It asks nothing,
/// and standard output is for a program.
final class HeadlessInterface: FrontEnd {
  /// The purpose of a session.
  enum Purpose {
    /// A script or a program communicates with the device. Other programs cannot borrow the port,
    /// and the session waits until its output was read.
    case script
    /// The session logs or serves the port. It does not show received bytes, other programs can
    /// borrow the port, and it reports every loss and return of the device.
    case service
    /// Like ``script``, in a session of another program. It may watch without the pen.
    case member
  }

  /// What happens to the first session, and to standard output.
  enum Event {
    /// The port is open, or the session waits for it. Reported once.
    case waiting
    /// The port is open, and waiting bytes have been read. Reported once.
    case ready
    /// The device is gone, and its last bytes have been read.
    case lost
    /// Standard output takes bytes again after ``isCrowded``.
    case room
    /// The program ends, in whatever way, after it has begun. Reported once.
    case ending
  }

  let events = Observable<Event>()
  /// What reads an input for the device; nil if nothing does.
  weak var inputSender: (any InputSender)?

  private let app: App
  private var output: ObservationToken<OutputChannel.Event>?
  private var members: [Member] = []
  private var losses: ObservationToken<SessionEvent>?

  /// A session and its configuration.
  private struct Member {
    let port: Port
    let configuration: SessionConfiguration
    let configurationForDevice: ((Device) throws -> SessionConfiguration)?
    let subscription: Hub.Subscription
    let end: ObservationToken<SessionError>
    var hasOpened = false
    var hasEnded = false
  }

  private let purpose: Purpose
  private let command: String
  private let view: DeviceView
  /// Whether bytes were received in the present turn of the loop.
  private var hasReceived = false
  /// Whether the program goes on without the sessions that cannot be opened, and reports them.
  var goesOnWithoutFailed = false
  /// Whether the program takes the pen of the session that it joins without asking.
  var takesPenAtOnce = false
  /// Whether the sessions end before the output does, because a program reads there how they ended.
  var tellsOfTheEnd = false
  /// Whether ``finish(_:)`` was called, and the session only waits for unread output.
  private(set) var isOver = false

  var loop: IOLoop { app.loop }
  var console: Console { app.console }
  /// The first session. It is the only one unless a program drives several.
  var port: Port { members[0].port }
  /// All sessions, in the order in which they were added.
  var ports: [Port] { members.map(\.port) }
  var controller: SessionController { port.controller }
  var session: Session { controller.session }
  var hub: Hub { controller.hub }
  /// The observed state, which determines the available commands.
  var model: TerminalStateModel { port.model }

  /// The maximum length of a text that a script, or an argument (128 KiB, see execve(2)), can send.
  private static let queueCapacity = 1_048_576
  /// The time limit for showing the remaining output on the user's terminal.
  private static let showPatience = Duration.milliseconds(200)
  /// The time limit for reading the driver's remaining bytes at the end.
  private static let readingPatience = Duration.milliseconds(100)

  /// Creates the session. ``run()`` opens it.
  ///
  /// - Parameters:
  ///   - command: the name of the subcommand, shown to others who join the session.
  ///   - devices: the serial ports of this computer.
  ///   - providers: the known kinds of endpoints.
  ///   - alerts: the alert rules.
  ///   - configurationForDevice: returns the configuration once the device is known; nil if it does
  ///     not depend on the device.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    _ configuration: SessionConfiguration, for purpose: Purpose = .script,
    of command: String, among devices: DeviceCatalog,
    from providers: LinkProviders = .standard, alerts: [AlertRule] = [],
    forDevice configurationForDevice: ((Device) throws -> SessionConfiguration)? = nil
  ) throws(Errno) {
    self.purpose = purpose
    self.command = command
    app = try App(
      among: devices, from: providers, isQuiet: configuration.isQuiet, isRaw: false,
      alerts: alerts)
    view = DeviceView(ViewSettings(), on: app.console, loop: app.loop)
    // Before the first line is printed, which may detect that standard output is closed.
    output = console.outputEvents.observe { [unowned self] in
      switch $0 {
      case .gone(let error):
        if purpose != .service { finish(.failure(Failure(outputGone: error))) }
      case .room:
        for member in members { member.subscription.update(isFull: false) }
        events.notify(.room)
      case .drained: break
      }
    }
    add(configuration, forDevice: configurationForDevice)
    // Before the controller ends the session: the last bytes may contain the text that
    // a script expects.
    losses = session.observe(.stateChange) { [unowned self] in
      if case .closed(.lost) = $0.new { events.notify(.lost) }
    }
  }

  /// Adds a session.
  ///
  /// - Parameter configurationForDevice: returns the configuration once the device is known; nil if
  ///   it does not depend on the device.
  @discardableResult
  func add(
    _ configuration: SessionConfiguration,
    forDevice configurationForDevice: ((Device) throws -> SessionConfiguration)? = nil
  ) -> Port {
    let port = app.add(
      configuration,
      in: TerminalState(user: purpose == .service ? .person : .script, screen: console.kind),
      writeCapacity: Self.queueCapacity)
    // Others may watch a script. A service sets its own rule.
    port.share(purpose == .service ? .none : .one, home: { .ofUser(nil) })
    port.server.viewersMayTakePen = purpose == .service
    port.server.commandName = command
    // The controllers subscribe to the bytes themselves. This subscription holds the device back.
    let subscription = port.controller.hub.subscribe(as: .view, whenFull: .wait) {
      [unowned self] _, _ in hasReceived = true
    }
    port.controller.delegate = self
    let index = members.count
    let end = port.controller.ends.observe { [unowned self, unowned port] in
      ended(index, port.outcome(of: $0))
    }
    members.append(
      Member(
        port: port, configuration: configuration,
        configurationForDevice: configurationForDevice, subscription: subscription,
        end: end))
    return port
  }

  /// Gives each port its name, which distinguishes several ports in messages and logs.
  func name(_ names: [String]) {
    for (member, name) in zip(members, names) { member.port.name = name }
  }

  /// Handles the end of a session. The others continue; the program ends with the last one.
  private func ended(_ index: Int, _ outcome: Result<ExitStatus, Failure>) {
    members[index].hasEnded = true
    if members.allSatisfy(\.hasEnded) { finish(outcome) }
  }

  /// Explains addresses in what a session receives, in its logs and to the program.
  func useSymbols(of files: [SymbolFile], port index: Int = 0) {
    app.symbols.watch(members[index].port, for: files)
  }

  /// Opens the port, and runs until ``finish(_:)`` is called.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

  // MARK: The front end

  func open() throws {
    app.shareLogs()
    for index in members.indices {
      let port = members[index].port
      do {
        _ = try port.bind(mayAsk: false)
        try port.controller.device.startReconnecting()
      } catch let failure as Failure where goesOnWithoutFailed {
        leaveOut(index, because: failure)
        if members.allSatisfy(\.hasEnded) { throw failure }
      }
    }
    try app.beginSharedLogs()
  }

  /// Goes on without a session that cannot be opened.
  private func leaveOut(_ index: Int, because failure: Failure) {
    let port = members[index].port
    members[index].hasEnded = true
    console.say(port.named(failure.message))
    port.server.stopListening()
    app.close(port, because: failure.message)
  }

  /// Whether a session has ended, while others may go on.
  func hasEnded(_ port: Port) -> Bool {
    members.contains { $0.port === port && $0.hasEnded }
  }

  func begin() {
    if takesPenAtOnce { controller.userSharing.remote?.takesPenAtOnce = true }
    for member in members
    where member.configuration.waitsForAbsentDevice && !member.port.session.state.isOpen
      && !member.hasEnded
    {
      member.port.narrator.greet(member.port.session)
    }
    events.notify(.waiting)
  }

  func advance() throws {
    for index in members.indices.dropFirst() { welcome(index) }
    guard welcome(0) else { return }
    // Waiting bytes are read before anything is sent.
    try loop.turn(waitingAtMost: .zero)
    guard app.outcome == nil else { return }
    if let refusal { finish(.failure(refusal)) } else { events.notify(.ready) }
  }

  /// Reports that a port is open, the first time.
  ///
  /// - Returns: whether it was the first time.
  @discardableResult
  private func welcome(_ index: Int) -> Bool {
    let port = members[index].port
    guard !members[index].hasOpened, port.session.state.isOpen else { return false }
    members[index].hasOpened = true
    // A script drives the additional ports by itself. The settings of a joined session are not
    // those that were asked for here.
    if index == 0 && purpose == .script || purpose == .service { port.narrator.greet(port.session) }
    if purpose == .service { port.narrate() }
    return true
  }

  /// The reason why a script cannot write to the device: another member has the pen of
  /// the server's port.
  private var refusal: Failure? {
    guard purpose == .script, let reason = model.state.sharing.penReason else { return nil }
    let name = session.state.endpoint.map { "\($0)" } ?? "the port"
    return Failure(.deviceBusy, "\(name): \(reason).")
  }

  func finishOutput() throws {
    isOver = true
    events.notify(.ending)
    if purpose == .service { try readRest() }
    // A reset is finished first. A signal or a failure does not wait.
    try app.runOn { [app, members] in
      guard case .success(.done) = app.outcome else { return false }
      return members.contains { $0.port.controller.sequences.isPlaying }
    }
    if tellsOfTheEnd { app.endSessions() }
    // A pipe is read completely.
    let pauses = members.map { $0.port.session.pauseReading() }
    defer { for pause in pauses { pause.end() } }
    try app.runOn { [console] in !console.isOutputTerminal && !console.isDrained }
  }

  func finishDisplay() {
    if console.isOutputTerminal { view.finish() }
    _ = console.finish(within: Self.showPatience)
  }

  /// Reads what the driver has received so far, so that the log is complete.
  private func readRest() throws(Errno) {
    let deadline = MonotonicTime.now + Self.readingPatience
    repeat {
      hasReceived = false
      try loop.turn(waitingAtMost: .zero)
    } while hasReceived && .now < deadline
  }

  // MARK: For the controllers

  /// The number of bytes that are missing from the logs.
  var unloggedCount: Int { controller.log.missingCount }

  /// The paths of the logs.
  var logPaths: [FilePath] { controller.log.paths }

  /// Whether ``finish(_:)`` was called, or a signal ends the program.
  var isEnding: Bool { app.outcome != nil }

  /// Why the program ends a file transfer, as a phrase; nil if it does not.
  var stopReason: String? {
    switch app.outcome {
    case .success(.signal(let number)): "it \(ExitStatus.ending(bySignal: number))"
    case .failure(let failure) where failure.status != .deviceLost: "it was stopped"
    case .success, .failure, nil: nil
    }
  }

  /// Ends the session. Only the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) { app.finish(outcome) }

  /// Whether standard output must be read before more is written to it.
  var isCrowded: Bool { console.isCrowded }

  /// Writes received bytes to standard output: unchanged, or filtered for a terminal.
  func show(_ bytes: UnsafeRawBufferPointer) {
    if console.isOutputTerminal { view.show(bytes) } else { write(bytes) }
  }

  /// Writes a received frame as a line, whatever its check says.
  func show(_ frame: Frame, isText: Bool) {
    guard frame.direction != .toDevice else { return }
    Array("\(frame.text(isText: isText))\n".utf8).withUnsafeBytes { show($0) }
  }

  /// Writes bytes to standard output unchanged.
  func write(_ bytes: UnsafeRawBufferPointer) {
    console.show(bytes)
    if isCrowded { for member in members { member.subscription.update(isFull: true) } }
  }

  /// Reports a file that was not sent completely.
  func report(_ file: PlainFile, _ end: PlainFile.End) {
    controller.sending.reportUnsent(file, end)
  }
}

/// Sends an input to the device.
protocol InputSender: AnyObject {
  /// The number of readable bytes of the input that were not read.
  var unreadInputCount: Int { get }
}

extension HeadlessInterface: SessionControllerDelegate {
  func dependsOnDevice(_ session: Session) -> Bool {
    member(of: session)?.configurationForDevice != nil
  }

  func session(_ session: Session, didFind device: Device) throws {
    guard let member = member(of: session),
      let configuration = try member.configurationForDevice?(device)
    else { return }
    member.port.adopt(configuration)
  }

  func reasonNotToRelease(portOf session: Session) -> String? {
    member(of: session)?.port.reasonNotToRelease
  }

  /// The input is for the first port.
  func unreadInputCount(of session: Session) -> Int {
    session === self.session ? inputSender?.unreadInputCount ?? 0 : 0
  }

  private func member(of session: Session) -> Member? {
    members.first { $0.port.session === session }
  }
}
