import EventLoop
import Glibc
import Observing
import Posix
import SerialCore
import SystemPackage
import Views

/// Runs a session between the user and a device: joins the parts, and decides when it is over.
final class ConnectController: SessionObserver, SessionDelegate {
  let configuration: ConnectConfiguration
  let loop: EventLoop
  let terminal: UserTerminal?
  let console: Console
  let session: Session
  private let driver: SessionDriver
  let log: LogKeeper
  let input: InputPump
  let model: TerminalStateModel
  let statistics = Statistics()
  let dialogs: Dialogs
  let view: DeviceView
  let filter: FilterKeeper
  private let lineInput: LineInput
  private let status: StatusDisplay
  private let holdDetector: HoldDetector
  let binder: TargetBinder
  let narrator: SessionNarrator
  let opening: OpeningSequence?
  private let pacer: Pacer?
  private let lineWatch: ModemLineWatch
  private let counterWatch: CounterWatch
  let errorReport: LineErrorReport
  let releaseDesk: ReleaseDesk
  private(set) lazy var refusals = RefusalReport(on: loop) { [unowned self] in console.say($0) }
  private var signals: SignalWatch?
  var drain: Drain?
  var transfer: FileTransfer?
  var lingerTimer: Timer?
  var breakTimer: Timer?
  var pulseTimer: Timer?
  var inputFailure: Failure?
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
    loop = try EventLoop()
    let kind = Console.kind
    terminal = UserTerminal(draws: kind == .drawing)
    console = try Console(on: loop, isQuiet: configuration.isQuiet, isRaw: terminal != nil)
    let options = configuration.linkOptions
    session = Session(
      settings: configuration.settings, waitsForLostDevice: configuration.reconnects,
      writeCapacity: InputPump.queueCapacity(isTerminal: terminal != nil)
    ) { (path, settings) throws(SerialError) in
      try TermiosLink(opening: path, settings: settings, options: options)
    }
    driver = SessionDriver(session, on: loop)
    log = LogKeeper(on: console, loop: loop, configuration: configuration.log)
    lineWatch = ModemLineWatch(session, on: loop)
    counterWatch = CounterWatch(session, on: loop)
    errorReport = LineErrorReport(session, on: loop, marksErrors: options.marksErrors)
    opening = configuration.onOpen.map { [session, loop] in
      OpeningSequence($0, of: session, on: loop)
    }
    pacer = Pacer(configuration.pacing, of: session, on: loop)
    holdDetector = HoldDetector(session, on: loop)
    binder = TargetBinder(
      session, on: loop, waitsForAbsentDevice: configuration.waitsForAbsentDevice)
    input = InputPump(
      to: session, isTerminal: terminal != nil, isReadOnly: configuration.isReadOnly,
      prefix: configuration.prefix)
    dialogs = Dialogs(on: console, input: input, loop: loop)
    view = DeviceView(configuration.view, on: console, loop: loop)
    filter = FilterKeeper(configuration.filter, to: view, on: console, loop: loop)
    lineInput = LineInput(
      on: console, loop: loop, history: HistoryFile(named: configuration.profileName))
    narrator = SessionNarrator(on: console, wayBack: configuration.wayBack)
    model = TerminalStateModel(
      TerminalState(
        requestedSettings: configuration.settings, isReadOnly: configuration.isReadOnly,
        reconnects: configuration.reconnects, echoesLocally: configuration.echoesLocally,
        editsLines: configuration.editsLines, view: configuration.view,
        filter: configuration.filter, screen: kind,
        hasColours: console.outputStyle.isColoured, showsStatus: configuration.showsStatus))
    status = StatusDisplay(on: console, loop: loop, statistics: statistics) { [model] in
      model.state
    }
    releaseDesk = ReleaseDesk(
      session, on: loop, patience: Drain.Patience(total: configuration.drain))
    session.delegate = self
    // The log hears of bytes before everything that shows them.
    for observer in [log, model, statistics] as [any SessionObserver] {
      session.addObserver(observer)
    }
    errorReport.say = { [console] in console.say($0) }
    opening?.onFailure = { [console] in console.warn(Failure($0).message) }
  }

  /// Runs the session to its end.
  ///
  /// - Throws: ``Failure``.
  func run() throws -> ExitStatus {
    let heard = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH]
    let asked = configuration.releaseSignal.map { [$0.number] } ?? []
    signals = try loop.watchSignals(heard + asked) { [unowned self] in take(signal: $0) }
    guard configuration.target != nil || terminal != nil else {
      throw Failure(.usage, "no device was named, and there is no terminal to ask on. See --help.")
    }
    let question = try binder.bind(to: configuration.target, mayAsk: terminal != nil)
    if question == nil { try openLogs() }
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
      try openLogs()
    }
    startReconnecting()
    // Whoever reads the greeting finds everything ready.
    let control = ControlServer.start(for: releaseDesk, on: loop)
    defer { control?.stop() }
    greet()
    stateDidChange()
    while true {
      if let outcome { return outcome }
      try loop.turn()
    }
  }

  private func connectParts() {
    console.onOutputGone = { [unowned self] _ in outputIsGone() }
    console.onRoom = { [unowned self] in
      filter.screenHasRoom()
      readOn()
    }
    filter.onRoom = { [unowned self] in readOn() }
    filter.onChange = { [unowned self] in model.update { $0.isFiltering = filter.isOn } }
    if console.isOutputTerminal { filter.start() }
    input.onCommand = { [unowned self] in perform($0) }
    input.onTyped = { [unowned self] in
      // Standard output that is no terminal gets what the device sends, and nothing else.
      if model.state.echoesLocally && console.isOutputTerminal { view.showTyped($0) }
    }
    lineInput.onLine = { [unowned self] in
      input.send(Array("\($0)\r".utf8))
      return !model.state.isReadOnly
    }
    lineInput.onControl = { [unowned self] in input.send([$0]) }
    input.onRefused = { [unowned self] in refuse($0) }
    input.onEnd = { [unowned self] in inputEnded($0) }
    dialogs.onChange = { [unowned self] in updateInput() }
    driver.onFailure = { [unowned self] in
      finish(.failure(Failure(.otherFailure, "the port cannot be watched: \($0).")))
    }
    releaseDesk.onMessage = { [unowned self] in console.say($0) }
    releaseDesk.onUnsent = { [unowned self] in warnOfUnsent($0) }
    narrator.borrowers = { [unowned self] in releaseDesk.borrowerNames }
    holdDetector.onChange = { [unowned self] in heldChanged($0) }
    model.changes.add(self) { observer, _ in observer.stateDidChange() }
  }

  // MARK: What is observed

  func session(_ session: Session, didReceive bytes: RawSpan) {
    bytes.withUnsafeBytes { console.isOutputTerminal ? filter.show($0) : console.show($0) }
    // A terminal that is slow is waited for where the device can wait; a pipe always.
    if isCrowded && (!console.isOutputTerminal || model.state.deviceCanWait) {
      session.isReadingPaused = true
    }
    status.update()
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

  private func readOn() { session.isReadingPaused = session.isReadingPaused && isCrowded }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released):
      discardUnsent()
    case (_, .closed(.lost(let error))):
      warnOfUnsent(session.queuedByteCount)
      finish(.failure(Failure(error)))
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _):
      break
    }
  }

  /// What somebody typed to a device that has gone must not reach whatever comes back. What a
  /// program pipes is one stream, and goes on. A file's bytes are counted with the file.
  private func discardUnsent() {
    guard terminal != nil else { return }
    let unsent = session.discardUnsent()
    let count = transfer?.foreignCount ?? unsent
    if count > 0 { console.say("\(count.grouped) bytes were not sent.") }
  }

  func sessionShouldRelease(_ session: Session) -> Bool { transfer == nil }

  private func heldChanged(_ isHeld: Bool) {
    model.update { $0.isHeld = isHeld }
    // A hold that ends with the port was not ended by the device.
    guard session.state.isOpen else { return }
    console.say(isHeld ? "held by the device: it takes nothing." : "the device takes bytes again.")
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
    settings.marksDirection = model.state.echoesLocally
    view.settings = settings
  }

  /// Leads what is typed to where it belongs in the present state.
  private func updateInput() {
    input.isRefusing = Need.sending.unmet(in: model.state) != nil
    input.mapList = model.state.view.map
    let typesLine = model.state.editsLines && transfer == nil
    console.screen.marksPastes = model.state.screen == .drawing && (dialogs.isOpen || typesLine)
    guard !dialogs.isOpen else { return }
    if transfer != nil {
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
