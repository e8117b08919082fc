import DeviceWatch
import EventLoop
import Glibc
import Observing
import Posix
import SerialCore
import SystemPackage
import Views

/// Runs a session between the user and a device: joins the parts, and decides when it is over.
final class ConnectController: SessionObserver, SessionDelegate {
  private(set) var configuration: ConnectConfiguration
  /// Says what the session is to be once its device is known; nil where that is no matter.
  var configurationForDevice: ((Device) throws -> ConnectConfiguration)?
  let loop: IOLoop
  let terminal: UserTerminal?
  let console: Console
  let session: Session
  let parts: SessionParts
  let input: InputPump
  let model: TerminalStateModel
  let statistics = Statistics()
  let dialogs: Dialogs
  let view: DeviceView
  let filter: FilterKeeper
  private let lineInput: LineInput
  private let status: StatusDisplay
  private let holdDetector: HoldDetector
  let narrator: SessionNarrator
  private let lineWatch: ModemLineWatch
  private let counterWatch: CounterWatch
  let errorReport: LineErrorReport
  let releaseDesk: ReleaseDesk
  let lineCommands: LineCommands
  private(set) lazy var refusals = RefusalReport(on: loop) { [unowned self] in console.warn($0) }
  private var signals: SignalWatch?
  /// Held while standard output is crowded.
  private var readingPause: Session.Pause?
  var drain: Drain?
  var lingerTimer: LoopTimer?
  var inputFailure: Failure?
  /// Whether the open question is whether to quit before a file is sent.
  var isAskingToQuit = false
  /// When the program should have ended, after the user has quit.
  var leavingDeadline: MonotonicTime?
  /// Whether the open question is which device has come back.
  var isAskingForReturned = false
  /// The timestamps that are switched on again.
  var lastTimestamps: TimestampFormat
  /// How the session ends; nil while it goes on.
  private(set) var outcome: Result<ExitStatus, Failure>?

  /// Creates a session and its surroundings; the user's terminal is not touched yet.
  ///
  /// - Throws: ``Failure``.
  init(_ configuration: ConnectConfiguration) throws {
    self.configuration = configuration
    lastTimestamps = configuration.view.timestamps ?? TimestampFormat(.time)
    loop = try IOLoop()
    let kind = Console.kind
    terminal = UserTerminal(draws: kind == .drawing)
    console = try Console(
      on: loop, isQuiet: configuration.session.isQuiet, isRaw: terminal != nil)
    parts = SessionParts(
      configuration.session, on: console, loop: loop,
      writeCapacity: InputPump.queueCapacity(isTerminal: terminal != nil))
    session = parts.session
    lineWatch = ModemLineWatch(session, on: loop)
    counterWatch = CounterWatch(session, on: loop)
    errorReport = LineErrorReport(session, on: loop)
    holdDetector = HoldDetector(session, on: loop)
    input = InputPump(
      to: session, isTerminal: terminal != nil, isReadOnly: configuration.isReadOnly)
    dialogs = Dialogs(on: console, input: input, loop: loop)
    view = DeviceView(configuration.view, on: console, loop: loop)
    filter = FilterKeeper(configuration.filter, to: view, on: console, loop: loop)
    lineInput = LineInput(on: console, loop: loop)
    narrator = SessionNarrator(on: console)
    model = TerminalStateModel(
      TerminalState(
        filter: configuration.filter, screen: kind, hasColours: console.outputStyle.isColoured))
    status = StatusDisplay(on: console, loop: loop, statistics: statistics) { [model] in
      model.state
    }
    lineCommands = LineCommands(session, model, on: loop)
    releaseDesk = ReleaseDesk(session, on: loop) { [model] in
      Command.release.availability(in: model.state)
    }
    session.delegate = self
    for observer in [model, statistics] as [any SessionObserver] { session.addObserver(observer) }
    errorReport.say = { [console] in console.say($0) }
    adopt(configuration)
  }

  /// Makes the session what a configuration says, at the beginning and when its device is known.
  private func adopt(_ configuration: ConnectConfiguration) {
    self.configuration = configuration
    parts.adopt(configuration.session)
    input.prefix = configuration.prefix
    dialogs.isPlain = configuration.printsLists || Console.kind != .drawing
    errorReport.marksErrors = configuration.session.linkOptions.marksErrors
    narrator.wayBack = configuration.wayBack
    lineInput.use(HistoryFile(ofProfile: configuration.profile))
    releaseDesk.patience = Drain.Patience(total: configuration.releaseDrain)
    if let format = configuration.view.timestamps { lastTimestamps = format }
    model.update {
      $0.requestedSettings = configuration.session.settings
      $0.reconnects = configuration.session.reconnects
      $0.isReadOnly = configuration.isReadOnly
      $0.echoesLocally = configuration.echoesLocally
      $0.lineEnding = configuration.lineEnding
      // Nothing is drawn on what only prints, and into a file or a pipe least of all.
      let draws = $0.screen == .drawing
      $0.editsLines = configuration.editsLines && draws && terminal != nil
      $0.view = configuration.view
      $0.showsStatus = configuration.showsStatus && draws
    }
  }

  /// What is known of the device says what the session is to be.
  private func deviceIsKnown(_ device: Device) throws {
    guard let known = try configurationForDevice?(device) else { return }
    let prefix = configuration.prefix
    adopt(known)
    if prefix != configuration.prefix { console.say(keysInWords) }
  }

  /// Runs the session to its end.
  ///
  /// - Throws: ``Failure``.
  func run() throws -> ExitStatus {
    let heard = ExitStatus.endingSignals + [SIGTSTP, SIGCONT, SIGWINCH]
    signals = try loop.watchSignals(heard) { [unowned self] in take(signal: $0) }
    if configurationForDevice != nil {
      parts.onDeviceKnown = { [unowned self] in try deviceIsKnown($0) }
    }
    parts.onLogsStarted = { [unowned self] in model.update { $0.log = parts.log.path } }
    parts.onFailure = { [unowned self] in finish(.failure($0)) }
    let question = try parts.bind(to: configuration.session.target, mayAsk: terminal != nil)
    session.addObserver(narrator)
    session.addObserver(self)
    let outcome = try runToEnd(asking: question)
    return try verdict(outcome)
  }

  /// Runs the session until something ends it. The user's terminal is ours meanwhile, and given back
  /// on every way out.
  ///
  /// - Parameter question: what the user has to be asked first.
  private func runToEnd(asking question: DeviceQuery?) throws -> Result<ExitStatus, Failure> {
    defer { giveBack() }
    try terminal?.makeRaw()
    connectParts()
    try input.start(on: loop)
    if let question {
      guard try choose(for: question) else { return outcome ?? .success(.done) }
    }
    startReconnecting()
    // Before the greeting: its reader may use the control socket at once.
    let control = ControlServer.start(for: releaseDesk, on: loop)
    defer { control?.stop() }
    updateView()
    greet()
    stateDidChange()
    while true {
      if let outcome { return outcome }
      try loop.turn()
    }
  }

  private func connectParts() {
    console.onOutputGone = { [unowned self] in outputIsGone($0) }
    console.screen.onFocus = { UserTerminal.noteCursor(isAway: $0) }
    console.onRoom = { [unowned self] in
      filter.screenHasRoom()
      readOn()
    }
    filter.onRoom = { [unowned self] in readOn() }
    filter.onChange = { [unowned self] in model.update { $0.isFiltering = filter.isOn } }
    if console.isOutputTerminal { filter.start() }
    input.onCommand = { [unowned self] in perform($0) }
    input.onOtherKey = { [unowned self] in answer(noCommandFor: $0) }
    // A standard output that is not a terminal gets what the device sends, and nothing else.
    if console.isOutputTerminal {
      input.onTyped = { [view] in view.showTyped($0) }
      input.onQueued = { [view] in view.showSent($0) }
    }
    lineInput.onLine = { [unowned self] in
      input.send(Array("\($0)\r".utf8))
      return !model.state.isReadOnly
    }
    lineInput.onControl = { [unowned self] in input.send([$0]) }
    lineInput.onDropped = { [unowned self] in refusals.add($0, because: "the line is full") }
    input.onRefused = { [unowned self] in refuse($0) }
    input.onEnd = { [unowned self] in inputEnded($0) }
    dialogs.onChange = { [unowned self] in updateInput() }
    parts.unreadInputCount = { [unowned self] in input.unreadCount }
    parts.driver.onFailure = { [unowned self] in
      finish(.failure(Failure(.otherFailure, "the port cannot be watched: \($0).")))
    }
    releaseDesk.onMessage = { [unowned self] in console.say($0) }
    releaseDesk.onUnsent = { [unowned self] in parts.unsent.bytes($0) }
    narrator.keys = { [unowned self] in terminal == nil ? nil : keysInWords }
    narrator.borrowers = { [unowned self] in releaseDesk.borrowerNames }
    holdDetector.onChange = { [unowned self] in holdChanged($0) }
    model.changes.add(self) { observer, _ in observer.stateDidChange() }
  }

  // MARK: What is observed

  func session(_ session: Session, didReceive bytes: RawSpan) {
    bytes.withUnsafeBytes {
      lineInput.deviceSent($0)
      if console.isOutputTerminal { filter.show($0) } else { console.show($0) }
    }
    // A terminal that is slow is waited for where the device can wait; a pipe always.
    if readingPause == nil, isCrowded, !console.isOutputTerminal || model.state.deviceCanWait {
      readingPause = session.pauseReading()
    }
    status.update()
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

  private func readOn() {
    if !isCrowded { readingPause = nil }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    if !new.isOpen { lineCommands.forget() }
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released):
      // What was typed for a device that has gone must not reach another. What a program pipes is
      // one stream, and goes on.
      if terminal != nil { parts.discardUnsent() }
    case (_, .closed(.lost(let error))): finish(.failure(Failure(error)))
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _):
      break
    }
  }

  func sessionShouldRelease(_ session: Session) -> Bool { parts.transfer == nil }

  /// Asks the user before a file is cut off. A signal does not ask.
  func sessionShouldClose(_ session: Session) -> Bool {
    guard let transfer = parts.transfer, outcome == nil else { return true }
    askWhetherToCut(transfer)
    return false
  }

  private func holdChanged(_ change: HoldDetector.Change) {
    model.update { $0.isHeld = change == .began }
    switch change {
    case .began: console.say("held by the device: it takes no bytes.")
    case .released: console.say("the device takes bytes again.")
    case .dropped: break
    }
  }

  /// Everything that depends on the state follows it here.
  private func stateDidChange() {
    updateInput()
    updateView()
    dialogs.refresh()
    status.update()
    lineWatch.isWatched = model.state.showsLines
  }

  private func updateView() {
    var settings = model.state.view
    settings.echoesLocally = model.state.echoesLocally
    view.settings = settings
  }

  /// Leads what is typed to where it belongs in the present state.
  private func updateInput() {
    input.isRefusing = Need.sending.unmet(in: model.state) != nil
    input.mapList = model.state.view.map
    input.lineEnding = model.state.lineEnding
    let typesLine = model.state.editsLines && parts.transfer == nil
    console.screen.marksPastes = model.state.screen == .drawing && (dialogs.isOpen || typesLine)
    guard !dialogs.isOpen else {
      // What is typed is an answer, printed where the list is, and not in the line.
      if dialogs.isPlain { lineInput.hide() }
      return
    }
    if parts.transfer != nil {
      input.focus = { [unowned self] in takeKeysOfTransfer($0) }
    } else if typesLine {
      input.focus = { [unowned self] in lineInput.take($0) }
    } else {
      input.focus = nil
    }
    if model.state.editsLines { lineInput.show() } else { lineInput.hide() }
  }

  /// Ends the session; the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }
}
