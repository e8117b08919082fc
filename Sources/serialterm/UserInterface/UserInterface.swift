import DeviceWatch
import EventLoop
import Glibc
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import Time

/// The front end for a person: the keyboard, the screen, and the commands of the user.
///
/// The keyboard and the commands act on the port with the focus.
final class UserInterface: FrontEnd, SessionDelegate {
  let app: App
  let terminal: (any TerminalMode)?
  var ports: [PortPresenter] = []
  /// The port with the focus: the user types to it.
  var focus: PortPresenter {
    didSet { focusDidMove() }
  }
  let input: InputPump
  let dialogs: Dialogs
  private let lineInput: LineInput
  private let historyFolder: FilePath?
  private let status: StatusDisplay
  /// Plots the numbers that the devices send.
  private(set) lazy var plot = makePlot()
  private(set) lazy var plotSaver = PlotSaver(with: dialogs, saver: saver, loop: loop)
  let sizeFollower: SizeFollower
  /// Whether the user has typed a line without ending it.
  var isTypingLine = false
  private(set) lazy var refusals = RefusalReport(on: loop) { [unowned self] in console.warn($0) }
  /// Shows the ports line by line; nil while there is only one.
  var merged: MergedScreen?
  var drains: [Drain] = []
  var lingerTimer: LoopTimer?
  var inputFailure: Failure?
  /// Whether the user takes the pen of a joined session without asking.
  var takesPenAtOnce = false
  /// Whether reading the pipe of a viewer has started.
  var hasStartedPipe = false
  /// Whether typed bytes go to all ports.
  var sendsToAll = false {
    didSet { tellPorts() }
  }
  private var deviceChanges: ObservationToken<DeviceEvent>?
  private var output: ObservationToken<OutputChannel.Event>?
  /// Waits until standard output has accepted everything.
  var drainedOutput: ObservationToken<OutputChannel.Event>?
  private var cursor: ObservationToken<Change<Screen.CursorPlace>>?
  private var lines: ObservationToken<LineInput.Event>?
  private var dialogChanges: ObservationToken<Change<Bool>>?
  /// Writes files that the user asks for.
  let saver: FileSaver
  /// The search whose matches will be printed.
  var printedSearch: PrintedSearch?
  /// Whether the open question is whether to quit before a file, a script or a program has ended.
  var isAskingToQuit = false
  /// The script that runs when the first port is open for the first time; nil when it has started.
  var openingScript: Script?
  var scriptTimer: LoopTimer?
  /// The shell commands that the user has run.
  var commandHistory: HistoryFile
  /// The time by which the program should have ended after the user has quit.
  var leavingDeadline: MonotonicTime?
  /// The port that the open question about a returned device belongs to.
  var portAskedFor: PortPresenter?

  var loop: IOLoop { app.loop }
  var console: Console { app.console }
  /// How the program ends; nil while it continues.
  var outcome: Result<ExitStatus, Failure>? { app.outcome }

  // Belongs to the port with the focus.
  var configuration: ConnectConfiguration { focus.configuration }
  var controller: SessionController { focus.controller }
  var session: Session { controller.session }
  var model: TerminalStateModel { focus.model }
  var filter: FilterController { focus.filter }

  /// A port to open, and its configuration.
  struct PortRequest {
    let configuration: ConnectConfiguration
    /// Returns the configuration once the device is known; nil if it does not depend on the device.
    let forDevice: ((Device) throws -> ConnectConfiguration)?
  }

  /// The environment of the program, besides its devices.
  struct Environment {
    /// The user's streams.
    var streams = TerminalStreams.standard
    /// The terminal at which the user types; nil if the input is not a terminal.
    var terminal: (any TerminalMode)? = UserTerminal(
      draws: TerminalStreams.standard.screenKind == .drawing)
    /// The known kinds of endpoints.
    var providers = LinkProviders.standard
    /// The folder of the histories; nil for none.
    var historyFolder = HistoryFile.stateFolder()
    /// The clock for the timers.
    var clock: () -> MonotonicTime = { .now }
  }

  /// Returns the configuration of an additional port; nil to use that of the port with the focus.
  let configurationOfFurther: ((Endpoint) throws -> ConnectConfiguration)?

  /// Creates the front end. It does not change the user's terminal yet.
  ///
  /// - Parameters:
  ///   - requests: the ports, at least one. The first one gets the focus.
  ///   - alerts: the alert rules.
  ///   - openingScript: the script that runs on the first port before the user or the pipe gets it.
  ///   - configurationOfFurther: returns the configuration of an additional port; nil to use that of the port with
  ///     the
  ///     focus.
  ///   - devices: the serial ports of this computer.
  ///   - environment: the streams, the terminal and the rest of the program's environment.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    _ requests: [PortRequest], alerts: [AlertRule] = [], running openingScript: Script? = nil,
    further configurationOfFurther: ((Endpoint) throws -> ConnectConfiguration)? = nil,
    among devices: DeviceCatalog, in environment: Environment = Environment()
  ) throws {
    let first = requests[0].configuration
    let streams = environment.streams
    historyFolder = environment.historyFolder
    commandHistory = HistoryFile(ofCommandsIn: environment.historyFolder)
    self.openingScript = openingScript
    self.configurationOfFurther = configurationOfFurther
    terminal = environment.terminal
    let isTyped = terminal != nil
    app = try App(
      among: devices, from: environment.providers, on: streams, clock: environment.clock,
      isQuiet: first.session.isQuiet, isRaw: isTyped, alerts: alerts)
    let (app, loop, console) = (app, app.loop, app.console)
    ports = requests.map { request in
      PortPresenter(
        request.configuration, forDevice: request.forDevice, in: app, isTyped: isTyped)
    }
    focus = ports[0]
    input = InputPump(
      from: streams.input, to: focus.controller.session, isTerminal: isTyped,
      isReadOnly: first.isReadOnly)
    dialogs = Dialogs(on: console, loop: loop)
    saver = FileSaver(on: console, dialogs: dialogs, loop: loop)
    lineInput = LineInput(
      on: console, loop: loop, keeping: HistoryFile(ofProfile: nil, in: historyFolder))
    status = StatusDisplay(on: console, loop: loop)
    sizeFollower = SizeFollower(on: loop)
    status.source = { [unowned self] in focus.port }
    adopt(first)
    plot.adopt(first.plot)
  }

  /// Applies the configuration of the first port to the keyboard and the lists.
  private func adopt(_ configuration: ConnectConfiguration) {
    input.prefix = configuration.prefix
    input.escape = configuration.escape
    dialogs.isPlain = configuration.printsLists || console.kind != .drawing
    lineInput.use(history(of: configuration))
  }

  private func history(of configuration: ConnectConfiguration) -> HistoryFile {
    HistoryFile(ofProfile: configuration.profile, in: historyFolder)
  }

  /// Runs the sessions to their end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

  func open() throws {
    ports[0].onAdopted = { [unowned self] in
      let keys = keysInWords
      adopt(ports[0].configuration)
      if keys != keysInWords { console.say(keysInWords) }
    }
    mergeIfNeeded()
    for port in ports { connect(port) }
    // An unusable address is detected before the port is opened, which may reset a board.
    for port in ports { try port.listen() }
    app.shareLogs()
    // Before a port is opened, which may reset a board, and before the device sends something.
    guard console.isOutputUsable else { return outputIsGone(.badFileDescriptor) }
    guard input.isUsable else { throw Failure(inputFailed: .badFileDescriptor) }
    // The user can only be asked for the first port. The others were named.
    let queries = try ports.map { ($0, try $0.bind()) }
    try app.beginSharedLogs()
    try terminal?.makeRaw()
    connectKeyboard()
    for port in ports { start(port) }
    // A pipe waits for the script, or for the session that it joins.
    if terminal != nil || (openingScript == nil && !model.state.sharing.isJoined) {
      try input.start(on: loop)
    }
    for (port, query) in queries {
      guard let query else { continue }
      guard try choose(for: query, of: port) else { return finish(.success(.done)) }
    }
    for port in ports { reconnect(port) }
  }

  func reconnect(_ port: PortPresenter) {
    do throws(Errno) {
      try port.controller.startReconnecting()
    } catch {
      port.say("cannot watch devices (\(error)): a lost device will not be found again.")
    }
  }

  func begin() {
    greet()
    for port in ports { port.port.announcePlaces() }
    if takesPenAtOnce { controller.remoteSharing?.takesPenAtOnce = true }
    followState()
    startOpeningScript()
    plot.begin(ports)
    guard terminal != nil else { return }
    // Without udev, devices can only be named on the command line.
    deviceChanges = try? app.devices.observe(on: loop) { [unowned self] _ in tellPorts() }
    tellPorts()
  }

  /// Starts to show what a port receives, and to look for numbers in it.
  func start(_ port: PortPresenter) {
    port.start()
    if terminal != nil, console.isOutputTerminal { plot.add(port) }
  }

  private func focusDidMove() {
    merged?.focus = ports.firstIndex { $0 === focus } ?? 0
    input.session = session
    lineInput.use(history(of: configuration))
    isTypingLine = false
    tellPorts()
    followState()
  }

  /// Connects a port with the objects that all ports share.
  func connect(_ port: PortPresenter) {
    let controller = port.controller
    controller.session.delegate = self
    if terminal != nil {
      controller.askForReturned = { [unowned self, unowned port] in ask($0, about: port) }
    }
    port.port.narrator.keys = { [unowned self, unowned port] in
      terminal == nil ? nil : port === ports[0] ? keysInWords : ""
    }
    port.port.narrator.penKeyName = { [unowned self] in penKeyName }
    port.port.share(
      port.configuration.writers,
      home: { [unowned port] in port.configuration.userName ?? UserName.own },
      answers: terminal != nil)
    port.onShown = { [unowned self, unowned port] in
      if port === focus { lineInput.deviceSent($0) }
      status.update()
    }
    port.onOffer = { [unowned self, unowned port] in offerDidChange(to: $0, at: port) }
    port.onStateChange = { [unowned self, unowned port] in stateDidChange($0, of: port) }
    controller.onEnd = { [unowned self, unowned port, unowned controller] in
      // The end of a joined session is not a failure of this program.
      let hasEnded =
        controller.remoteSharing?.sharing.isJoined == true
        && controller.remoteSharing?.endReason != nil
      portEnded(port, hasEnded ? .success(.done) : .failure(Failure($0)))
    }
  }

  /// The keys that ask for the pen; nil if the user has none.
  var penKeyName: String? {
    terminal == nil || input.prefix == .none ? nil : "\(input.prefix) \(Command.pen.key ?? " ")"
  }

  private func connectKeyboard() {
    output = console.outputEvents.observe { [unowned self] in
      switch $0 {
      case .gone(let error): outputIsGone(error)
      case .room:
        for port in ports {
          port.screenHasRoom()
          port.controller.exchange?.goOn()
        }
      case .drained: break
      }
    }
    cursor = console.screen.$cursorPlace.observe { [unowned self] in
      terminal?.noteCursor(in: $0.new)
    }
    input.delegate = self
    lines = lineInput.events.observe { [unowned self] in
      switch $0 {
      case .line(let line): input.send(Array("\(line)\r".utf8))
      case .control(let byte): input.send([byte])
      case .dropped(let count): refusals.add(count, because: "the line is full")
      }
    }
    dialogChanges = dialogs.$isOpen.observe { [unowned self] _ in
      updateInput()
      // The dialog that has closed may be about to be replaced.
      loop.atEndOfTurn { [weak self] in
        guard let self, model.state.exchange == nil else { return }
        plot.takeKeysBack()
      }
    }
    sizeFollower.attempt = { [unowned self] in sendNewSize() }
    ports[0].controller.unreadInputCount = { [unowned self] in input.unreadCount }
  }

  // MARK: Observers

  private func model(of session: Session) -> TerminalStateModel? {
    app.ports.first { $0.session === session }?.model
  }

  func sessionShouldRelease(_ session: Session) -> Bool {
    model(of: session)?.state.exchange == nil
  }

  /// Asks the user before a file, a script or a program is cut off. After a signal, nothing is asked.
  func sessionShouldClose(_ session: Session) -> Bool {
    guard let model = model(of: session), let exchange = model.state.exchange, outcome == nil
    else { return true }
    askWhetherToCut(exchange, model)
    return false
  }

  private func stateDidChange(_ change: Change<TerminalState>, of port: PortPresenter) {
    if change.old.session.endpoint != change.new.session.endpoint { tellPorts() }
    if change.old.session.isOpen, !change.new.session.isOpen { plot.portWasLost(port) }
    if port === ports[0] { startOpeningScript() }
    if port === focus {
      shareSettings(change)
      followState()
    } else {
      status.update()
    }
    // The user waits for all changes except progress.
    dialogs.refresh(isUrgent: !change.isProgress)
  }

  /// Copies a change of the screen or keyboard settings to all ports, which share them.
  private func shareSettings(_ change: Change<TerminalState>) {
    let (old, new) = (change.old, change.new)
    guard old.showsStatus != new.showsStatus || old.editsLines != new.editsLines else { return }
    // The status line is drawn soon, and takes a row.
    sizeFollower.sizeMayHaveChanged()
    for port in ports where port !== focus {
      port.model.update { ($0.showsStatus, $0.editsLines) = (new.showsStatus, new.editsLines) }
    }
  }

  /// Updates the shared objects from the state.
  private func followState() {
    updateInput()
    status.isOn = model.state.showsStatus || model.state.isTransferring
    status.update()
    followSize()
    startPipeOfViewer()
  }

  /// Directs typed bytes to the receiver that the present state determines.
  private func updateInput() {
    input.isRefusing = [Need.sending, .pen].unmet(in: model.state) != nil
    input.mapList = model.state.view.map
    input.lineEnding = model.state.lineEnding
    input.isShared = configuration.writers == .all
    input.takesEscapes = !dialogs.isOpen
    let typesLine = model.state.editsLines && model.state.exchange == nil
    console.screen.marksPastes = model.state.screen == .drawing && (dialogs.isOpen || typesLine)
    lineInput.keepsLines = !model.state.isReadOnly
    guard !dialogs.isOpen else {
      input.focus = dialogs
      // Typed text is then an answer, which is printed below the list and not in the line.
      if dialogs.isPlain { lineInput.hide() }
      return
    }
    if model.state.exchange != nil {
      input.focus = self
    } else if typesLine {
      input.focus = lineInput
    } else {
      input.focus = nil
    }
    if model.state.editsLines { lineInput.show() } else { lineInput.hide() }
  }

  /// Ends the session. Only the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) { app.finish(outcome) }
}

extension Change<TerminalState> {
  /// Whether only the progress of an exchange has changed.
  fileprivate var isProgress: Bool {
    guard old.progress != nil, new.progress != nil else { return false }
    var old = old
    old.progress = new.progress
    return old == new
  }
}
