import DeviceWatch
import EventLoop
import Glibc
import Observing
import Options
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TextTools
import Time

/// The front end for a person: it opens the ports, and joins the keyboard, the views and the
/// commands, each of which observes the state of the ports by itself.
final class UserInterface: FrontEnd {
  let app: App
  let focus: PortFocus
  let keyboard: Keyboard
  /// Reads a pipe in place of the keyboard.
  let pipe: PipeStart
  /// What follows the state of the ports on the screen.
  let views: StateViews
  let search: SearchQuestions
  let plots: SessionPlots
  let exchanges: SessionExchanges
  let leaving: Leaving
  /// What joins the ports of a tap; nil otherwise.
  private let tap: PortTap?
  private var observations: [AnyObject] = []

  var loop: IOLoop { app.loop }
  var console: Console { app.console }
  var dialogs: Dialogs { keyboard.dialogs }

  /// The state of the port with the focus.
  var model: TerminalStateModel { focus.port.model }

  /// Creates the front end. It does not change the user's terminal yet.
  ///
  /// - Parameters:
  ///   - requests: the ports, at least one. The first one gets the focus.
  ///   - alerts: the alert rules.
  ///   - openingScript: the script that runs on the first port before the user or the pipe gets it.
  ///   - configurationOfAdditional: returns the configuration of an additional port; nil to use
  ///     that of the port with the focus.
  ///   - tapRules: how the two ports are joined; nil if they are not.
  ///   - devices: the serial ports of this computer.
  ///   - environment: the streams, the terminal and the rest of the program's environment.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    _ requests: [PortRequest], alerts: [AlertRule] = [], running openingScript: Script? = nil,
    additional configurationOfAdditional: ((Endpoint) throws -> ConnectConfiguration)? = nil,
    joining tapRules: PortTap.Rules? = nil, among devices: DeviceCatalog,
    in environment: Environment = Environment()
  ) throws {
    let isTyped = environment.terminal != nil
    let app = try App(
      among: devices, from: environment.providers, on: environment.streams,
      clock: environment.clock, isQuiet: requests[0].configuration.session.isQuiet, isRaw: isTyped,
      alerts: alerts)
    let keys = CommandKeys()
    let ports = requests.map { request in
      PortPresenter(
        request.configuration, forDevice: request.forDevice, in: app, keys: isTyped ? keys : nil)
    }
    let focus = PortFocus(on: ports, additional: configurationOfAdditional, in: app)
    let keyboard = Keyboard(in: environment, of: app, at: focus, with: keys)
    let leaving = Leaving(keyboard, at: focus, in: app)
    let transfers = SessionTransfers(of: focus, keyboard, leaving.questions, in: app)
    (self.app, self.focus, self.keyboard, self.leaving) = (app, focus, keyboard, leaving)
    tap = tapRules.map { PortTap($0, of: focus, leaving, in: app) }
    pipe = PipeStart(keyboard, at: focus, in: app)
    views = StateViews(of: focus, keyboard, in: app, keeping: environment.historyFolder)
    search = SearchQuestions(
      of: focus, with: keyboard.dialogs, on: app.console, loop: app.loop)
    plots = SessionPlots(of: focus, keyboard, views.sizes, saver: search.saver, in: app) {
      leaving.quit()
    }
    exchanges = SessionExchanges(
      transfers: transfers,
      scripts: SessionScripts(
        openingScript, of: focus, transfers, leaving.questions, pipe, hasUser: isTyped, in: app),
      programs: SessionPrograms(
        of: focus, leaving.questions,
        keeping: HistoryFile(of: .shellCommands, in: environment.historyFolder),
        in: app
      ),
      repetition: SessionRepetition(at: focus, keyboard, leaving, in: app))
  }

  /// Runs the sessions to their end.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

  // MARK: The beginning

  func open() throws {
    keyboard.followConfiguration()
    focus.mergeIfNeeded()
    for port in focus.ports {
      port.model.followFocus(focus)
      connect(port)
    }
    views.statusChoice.begin()
    // An unusable address is detected before the port is opened, which may reset a board.
    for port in focus.ports { try port.listen() }
    app.shareLogs()
    // Before a port is opened, which may reset a board, and before the device sends something.
    guard console.isOutputUsable else { return leaving.outputIsGone(.badFileDescriptor) }
    guard keyboard.input.isUsable else { throw Failure(inputFailed: .badFileDescriptor) }
    // The user can only be asked for the first port. The others were named.
    let queries = try focus.ports.map { ($0, try $0.bind()) }
    try app.beginSharedLogs()
    try keyboard.terminal?.makeRaw()
    connectStreams()
    for port in focus.ports { start(port) }
    // A pipe waits for the script, or for the session that it joins.
    // A tap has no input: what is piped cannot go anywhere.
    if keyboard.terminal != nil
      || (tap == nil && exchanges.scripts.openingScript == nil && !model.state.sharing.isJoined)
    {
      try keyboard.input.start()
    }
    for (port, query) in queries {
      guard let query else { continue }
      guard let target = try DeviceChooser.choose(for: query, in: app, with: dialogs) else {
        return app.finish(.success(.done))
      }
      try port.port.bind(toChosen: target)
    }
    for port in focus.ports { port.startReconnecting() }
  }

  func begin() {
    Greeting(of: focus, for: keyboard, on: console).say()
    tap?.greet()
    for port in focus.ports { port.port.announcePlaces() }
    keyboard.stateDidChange()
    views.begin()
    pipe.begin()
    exchanges.scripts.begin()
    plots.plot.begin(focus.ports)
    if keyboard.terminal != nil { focus.followDevices() }
  }

  /// Connects a port with the user, before it is opened.
  private func connect(_ port: PortPresenter) {
    let controller = port.controller
    controller.delegate = leaving.questions
    controller.device.canAsk = keyboard.terminal != nil
    port.port.share(
      tap == nil ? port.configuration.values[SharingParameters.writers].rule : .none,
      home: { [unowned port] in .ofUser(port.configuration.values.userName) },
      answers: keyboard.terminal != nil)
    port.observations = [
      controller.device.$returnQuestion.observe { [unowned self, unowned port] in
        leaving.questions.ask($0.new, about: port)
      },
      controller.ends.observe { [unowned self, unowned port] in
        focus.portEnded(port, port.port.outcome(of: $0))
      },
    ]
  }

  /// Starts to show what a port receives, and to follow its state.
  private func start(_ port: PortPresenter) {
    port.start()
    focus.observeState(of: port)
    views.observe(port)
    exchanges.transfers.observeOffers(of: port)
    if keyboard.terminal != nil, console.isOutputTerminal { plots.add(port) }
  }

  /// Connects the parts with the input and the output, which can be used from now on.
  private func connectStreams() {
    observations = [
      console.outputEvents.observe { [unowned self] in outputDidChange($0) },
      console.screen.$cursorPlace.observe { [unowned self] in
        keyboard.terminal?.noteCursor(in: $0.new)
      },
      console.screen.$deviceRestoration.observe { [unowned self] in
        keyboard.terminal?.noteRestoration($0.new)
      },
      keyboard.events.observe { [unowned self] in handle($0) },
    ]
    keyboard.begin()
    plots.begin()
  }

  private func outputDidChange(_ event: OutputChannel.Event) {
    switch event {
    case .gone(let error): leaving.outputIsGone(error)
    case .room:
      for port in focus.ports {
        port.text.screenHasRoom()
        port.controller.sending.exchange?.resume()
      }
    case .drained: break
    }
  }

  /// Handles what the user wants besides typing.
  private func handle(_ event: Keyboard.Event) {
    switch event {
    case .command(let key): perform(key)
    case .otherKey(let key): answer(noCommandFor: key)
    case .escape(let command): perform(command)
    case .ended(let error): leaving.inputEnded(error)
    }
  }

  // MARK: Another port

  func connect(to endpoint: Endpoint) throws(Failure) {
    let port = PortPresenter(
      try focus.configuration(ofAdditional: endpoint), forDevice: nil, in: app, keys: keyboard.keys)
    // The name in shared logs.
    port.port.name = PortNames(of: (focus.ports + [port]).map(\.configuration)).names.last
    do {
      connect(port)
      _ = try port.bind()
    } catch {
      app.remove(port.port)
      throw error as? Failure ?? Failure(.otherFailure, "\(endpoint): \(error).")
    }
    port.model.update { [focus] in $0.showsStatus = focus.state.showsStatus }
    focus.add(port)
    start(port)
    focus.mergeIfNeeded()
    port.startReconnecting()
    focus.moveToLast()
    port.port.narrator.greet(port.session)
  }

  // MARK: Signals

  var signals: [CInt] { [SIGTSTP, SIGCONT, SIGWINCH] }

  func handle(signal: CInt) -> Bool {
    switch signal {
    case SIGTSTP:
      dialogs.dismiss()
      console.screen.keep()
      if console.isOutputTerminal { for port in focus.ports { port.view.finish() } }
      console.suspend(within: Leaving.showPatience)
      keyboard.terminal?.restore()
      // SIGTSTP itself is blocked. The next line runs after SIGCONT.
      raise(SIGSTOP)
    case SIGCONT:
      // If the process is in the background, the kernel stops it again by SIGTTOU.
      _ = try? keyboard.terminal?.retake()
      console.screen.resume()
      if console.isOutputTerminal { for port in focus.ports { port.view.resume() } }
      views.sizes.updateSize()
    case SIGWINCH:
      console.screen.sizeDidChange()
      views.sizes.windowDidChange()
    case focus.port.configuration.values[ConnectCommand.releaseOn]?.number:
      perform(.release, from: .signal)
    default: return false
    }
    return true
  }

  // MARK: The end

  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    leaving.verdict(on: outcome)
  }

  func finishOutput() throws { try plots.plot.finish() }

  func stop() {
    tap?.stop()
    exchanges.repetition.end(because: .ending)
    keyboard.input.stop()
    keyboard.refusals.flush()
    dialogs.dismiss()
    focus.stop()
    views.stop()
    for port in focus.ports { port.stop() }
  }

  func finishDisplay() {
    for port in focus.ports { port.finish() }
    focus.finishLines()
    let unwritten = console.finish(within: leaving.showPatience)
    keyboard.terminal?.restore()
    if unwritten > 0 && !console.isOutputTerminal {
      console.warn(
        "\(unwritten.bytesWere) received and not written: the output did not accept them.")
      _ = console.finish(within: .zero)
    }
  }
}
