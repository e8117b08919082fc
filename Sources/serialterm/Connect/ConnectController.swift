import DeviceWatch
import EventLoop
import Glibc
import Observing
import Posix
import SerialCore
import SessionKit
import SystemPackage
import Views

/// The front end of a person: keyboard, screen, and the commands that they give.
final class ConnectController: FrontEnd, SessionDelegate {
  private(set) var configuration: ConnectConfiguration
  /// Says what the session is to be once its device is known; nil where that is no matter.
  var configurationForDevice: ((Device) throws -> ConnectConfiguration)?
  let app: App
  let terminal: UserTerminal?
  let parts: SessionController
  let input: InputPump
  let dialogs: Dialogs
  let view: DeviceView
  let filter: FilterKeeper
  private let lineInput: LineInput
  private let status: StatusDisplay
  private let holdDetector: HoldDetector
  private let lineWatch: ModemLineWatch
  private let counterWatch: CounterWatch
  let errorReport: LineErrorReport
  private(set) lazy var refusals = RefusalReport(on: loop) { [unowned self] in console.warn($0) }
  /// Shows what the device sends. A terminal that is slow is waited for where the device can wait; a
  /// pipe always.
  private var subscription: Hub.Subscription?
  var drain: Drain?
  var lingerTimer: LoopTimer?
  var inputFailure: Failure?
  /// Whether the open question is whether to quit before a file is sent.
  var isAskingToQuit = false
  /// When the program should have ended, after the user has quit.
  var leavingDeadline: MonotonicTime?
  /// Whether the open question is which device has come back.
  var isAskingForReturned = false

  var loop: IOLoop { app.loop }
  var console: Console { app.console }
  var session: Session { parts.session }
  var model: TerminalStateModel { parts.model }
  var statistics: Statistics { parts.statistics }
  var narrator: SessionNarrator { parts.narrator }
  var releaseDesk: ReleaseDesk { parts.releaseDesk }
  var lineCommands: LineCommands { parts.lineCommands }
  /// How the program ends; nil while it goes on.
  var outcome: Result<ExitStatus, Failure>? { app.outcome }

  /// Creates a session and its surroundings; the user's terminal is not touched yet.
  ///
  /// - Parameter devices: the serial ports of the machine.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(_ configuration: ConnectConfiguration, among devices: DeviceCatalog) throws {
    self.configuration = configuration
    let kind = Console.kind
    terminal = UserTerminal(draws: kind == .drawing)
    app = try App(
      among: devices, isQuiet: configuration.session.isQuiet, isRaw: terminal != nil)
    let (loop, console) = (app.loop, app.console)
    parts = app.add(
      configuration.session,
      in: TerminalState(
        filter: configuration.filter, screen: kind, hasColours: console.outputStyle.isColoured),
      writeCapacity: InputPump.queueCapacity(isTerminal: terminal != nil))
    let session = parts.session
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
    status = StatusDisplay(
      on: console, loop: loop, statistics: parts.statistics
    ) { [model = parts.model] in model.state }
    session.delegate = self
    errorReport.say = { [console] in console.say($0) }
    parts.discardsForLostDevice = terminal != nil
    if terminal != nil { parts.askForReturned = { [unowned self] in askForReturned($0) } }
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
    model.update {
      $0.isReadOnly = configuration.isReadOnly
      $0.echoesLocally = configuration.echoesLocally
      $0.lineEnding = configuration.lineEnding
      // Nothing is drawn on what only prints, and into a file or a pipe least of all.
      let draws = $0.screen == .drawing
      $0.editsLines = configuration.editsLines && draws && terminal != nil
      $0.view = configuration.view
      if let format = configuration.view.timestamps { $0.lastTimestamps = format }
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
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

  func open() throws {
    if configurationForDevice != nil {
      parts.onDeviceKnown = { [unowned self] in try deviceIsKnown($0) }
    }
    parts.onLogsStarted = { [unowned self] in model.update { $0.log = parts.log.path } }
    let question = try parts.bind(mayAsk: terminal != nil)
    parts.narrate()
    try terminal?.makeRaw()
    connectParts()
    try input.start(on: loop)
    if let question {
      guard try choose(for: question) else { return finish(.success(.done)) }
    }
    do throws(Errno) {
      try parts.startReconnecting()
    } catch {
      console.say("cannot watch devices (\(error)): a lost device will not be found again.")
    }
  }

  func begin() {
    updateView()
    greet()
    followState()
  }

  private func connectParts() {
    console.onOutputGone = { [unowned self] in outputIsGone($0) }
    console.screen.onFocus = { UserTerminal.noteCursor(isAway: $0) }
    subscription = parts.hub.subscribe(
      as: .view, whenFull: console.isOutputTerminal ? .waitOrLeaveOut : .wait
    ) { [unowned self] in show($0) }
    console.onRoom = { [unowned self] in
      filter.screenHasRoom()
      subscription?.update(isFull: isCrowded)
    }
    filter.onRoom = { [unowned self] in subscription?.update(isFull: isCrowded) }
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
    narrator.keys = { [unowned self] in terminal == nil ? nil : keysInWords }
    holdDetector.onChange = { [unowned self] in holdChanged($0) }
    model.changes.add(self) { $0.stateDidChange($1) }
  }

  // MARK: What is observed

  private func show(_ bytes: UnsafeRawBufferPointer) {
    lineInput.deviceSent(bytes)
    if console.isOutputTerminal { filter.show(bytes) } else { console.show(bytes) }
    if isCrowded { subscription?.update(isFull: true) }
    status.update()
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

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

  private func stateDidChange(_ change: Change<TerminalState>) {
    followState()
    // A user waits for everything but progress.
    dialogs.refresh(isUrgent: !change.isProgress)
  }

  /// Everything that depends on the state follows it here.
  private func followState() {
    updateInput()
    updateView()
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
    let typesLine = model.state.editsLines && model.state.transfer == nil
    console.screen.marksPastes = model.state.screen == .drawing && (dialogs.isOpen || typesLine)
    guard !dialogs.isOpen else {
      // What is typed is an answer, printed where the list is, and not in the line.
      if dialogs.isPlain { lineInput.hide() }
      return
    }
    if model.state.transfer != nil {
      input.focus = { [unowned self] in takeKeysOfTransfer($0) }
    } else if typesLine {
      input.focus = { [unowned self] in lineInput.take($0) }
    } else {
      input.focus = nil
    }
    if model.state.editsLines { lineInput.show() } else { lineInput.hide() }
  }

  /// Ends the session; the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) { app.finish(outcome) }
}

extension Change<TerminalState> {
  /// Whether nothing changed but how far a file was sent.
  fileprivate var isProgress: Bool {
    guard old.progress != nil, new.progress != nil else { return false }
    var old = old
    old.progress = new.progress
    return old == new
  }
}
