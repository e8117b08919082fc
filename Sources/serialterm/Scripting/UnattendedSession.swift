import DeviceWatch
import EventLoop
import Posix
import SerialCore
import SystemPackage

/// A session without a user: what the commands share that talk to a device by themselves.
final class UnattendedSession: SessionObserver {
  /// What the session is for.
  enum Purpose {
    /// A script or a program talks to the device: it keeps the port, and its output must be read.
    case script
    /// Nothing but the log counts: standard output is not used, other programs can borrow the port,
    /// and every loss and return of the device is said.
    case log
  }

  /// Called once, when the port is open and what waited there has been read.
  var onReady: () -> Void = {}
  /// Called once, when the port is open or waited for.
  var onWaiting: () -> Void = {}
  /// Called when the device is gone, with nothing more to come.
  var onLost: () -> Void = {}
  /// Called when standard output takes bytes again after ``isCrowded``.
  var onRoom: () -> Void = {}
  /// Called with what is received.
  var onReceived: (UnsafeRawBufferPointer) -> Void = { _ in }

  /// Returns the configuration once the device is known; nil where it does not depend on the device.
  var configurationForDevice: ((Device) throws -> SessionConfiguration)?

  let loop: IOLoop
  let console: Console
  let session: Session
  private let parts: SessionParts
  private let configuration: SessionConfiguration
  private let purpose: Purpose
  private let view: DeviceView
  private let narrator: SessionNarrator
  /// The observed state, from which it follows what may be done now.
  let model: TerminalStateModel
  private let releaseDesk: ReleaseDesk
  private var signals: SignalWatch?
  /// Held while standard output is crowded.
  private var crowdPause: Session.Pause?
  private var isReady = false
  /// Whether bytes were received in this turn of the loop.
  private var hasReceived = false
  /// Whether ``finish(_:)`` was called, and only unread output is waited for.
  private(set) var isOver = false
  private var outcome: Result<ExitStatus, Failure>?

  /// The largest text that a script, or an argument (128 KiB, see execve(2)), may have us send.
  private static let queueCapacity = 1_048_576
  /// How long the user's terminal may take over what is left to show.
  private static let showPatience = Duration.milliseconds(200)
  /// How long reading what the driver has received may take at the end.
  private static let readingPatience = Duration.milliseconds(100)
  /// How long it may take over the last words.
  private static let messagePatience = Duration.milliseconds(20)

  /// Creates the session; nothing is opened before ``run()``.
  ///
  /// - Throws: what epoll_create1(2) and epoll_ctl(2) say.
  init(_ configuration: SessionConfiguration, for purpose: Purpose = .script) throws(Errno) {
    self.configuration = configuration
    self.purpose = purpose
    loop = try IOLoop()
    console = try Console(on: loop, isQuiet: configuration.isQuiet, isRaw: false)
    view = DeviceView(ViewSettings(), on: console, loop: loop)
    parts = SessionParts(
      configuration, on: console, loop: loop, writeCapacity: Self.queueCapacity)
    session = parts.session
    narrator = SessionNarrator(on: console)
    var state = TerminalState(screen: Console.kind)
    state.isScripted = purpose == .script
    state.requestedSettings = configuration.settings
    state.reconnects = configuration.reconnects
    model = TerminalStateModel(state)
    releaseDesk = ReleaseDesk(session, on: loop) { [model] in
      Command.release.availability(in: model.state)
    }
    narrator.borrowers = { [releaseDesk] in releaseDesk.borrowerNames }
    session.addObserver(model)
    if purpose == .script {
      // From now on: the first line may find that standard output is closed.
      console.onOutputGone = { [unowned self] in finish(.failure(Failure(outputGone: $0))) }
    }
    session.addObserver(self)
  }

  /// Reports on a device that is waited for; there is no user to ask.
  private func take(_ report: Reconnector.Report) {
    switch report {
    case .held(let error): console.say(error.heldForNow)
    case .refused(let error):
      if parts.binder.endsWhenRefused { return finish(.failure(Failure(error))) }
      console.say(Failure(error).message)
    case .several(let devices): finish(.failure(Failure(indistinguishable: devices)))
    case .lookAlikes(let devices): console.answer(devices.notTaken)
    case .settled: break
    }
  }

  /// Opens the port, and runs until somebody calls ``finish(_:)``.
  ///
  /// - Throws: ``Failure``, and what the system says.
  func run() throws -> ExitStatus {
    signals = try loop.watchSignals(ExitStatus.endingSignals) { [unowned self] in
      outcome = .success(.signal($0))
    }
    console.onRoom = { [unowned self] in
      crowdPause = nil
      onRoom()
    }
    parts.driver.onFailure = { [unowned self] in
      finish(.failure(Failure(.otherFailure, "the port cannot be watched: \($0).")))
    }
    parts.onFailure = { [unowned self] in finish(.failure($0)) }
    if let configurationForDevice {
      parts.onDeviceKnown = { [unowned self] in parts.adopt(try configurationForDevice($0)) }
    }
    defer { close() }
    // Opening the port may reset a board: not for an output that is closed already.
    if let outcome { return try outcome.get() }
    _ = try parts.bind(to: configuration.target, mayAsk: false)
    // Without reconnecting there is nothing to watch for, unless the device is not open yet: then its
    // permissions may still be on their way.
    if configuration.reconnects || configuration.waitsForAbsentDevice || !session.state.isOpen {
      try parts.binder.startReconnecting { [unowned self] in take($0) }
    }
    let control = ControlServer.start(for: releaseDesk, on: loop)
    defer { control?.stop() }
    if configuration.waitsForAbsentDevice && !session.state.isOpen { narrator.greet(session) }
    onWaiting()
    while outcome == nil {
      if session.state.isOpen && !isReady {
        isReady = true
        narrator.greet(session)
        if purpose == .log { session.addObserver(narrator) }
        // Whatever waits at the port has its turn before anything is sent.
        try loop.turn(waitingAtMost: .zero)
        if outcome == nil { onReady() }
      } else {
        try loop.turn()
      }
    }
    isOver = true
    if purpose == .log { try readRest() }
    try awaitOpening()
    try awaitReader()
    parts.finishSending()
    parts.log.finish()
    return try parts.verdict(on: outcome!)
  }

  /// How many bytes are missing from the logs.
  var unloggedCount: Int { parts.log.missingCount }

  /// The files that are logged to.
  var logPaths: [FilePath] { parts.log.paths }

  /// Ends the session; the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// Whether what would be written to standard output has to wait until somebody reads.
  var isCrowded: Bool { console.isCrowded }

  /// Writes what the device sent to standard output: as it is, or harmless to a terminal.
  func show(_ bytes: UnsafeRawBufferPointer) {
    if console.isOutputTerminal { view.show(bytes) } else { write(bytes) }
  }

  /// Writes bytes to standard output as they are.
  func write(_ bytes: UnsafeRawBufferPointer) {
    console.show(bytes)
    if isCrowded && crowdPause == nil { crowdPause = session.pauseReading() }
  }

  /// Says which settings the driver took otherwise than they were asked for.
  func warnOfDifferences() { narrator.warnOfDifferences(in: session) }

  /// What to say when nothing has been sent for a while. How much is left is said at the end.
  func standstill(_ time: String) -> String {
    parts.pacer.isAwaitingPrompt
      ? "the prompt of --wait-for did not come \(time)." : "the device took nothing \(time)."
  }

  /// How many bytes of the input could be read and were not; see ``SessionParts/unreadInputCount``.
  var unreadInputCount: () -> Int {
    get { parts.unreadInputCount }
    set { parts.unreadInputCount = newValue }
  }

  /// The file that is being sent; how it ends is said here.
  var transfer: FileTransfer? {
    get { parts.transfer }
    set { parts.transfer = newValue }
  }

  /// Says that a file was not sent to its end.
  func fileEnded(_ transfer: FileTransfer, _ end: FileTransfer.End) {
    parts.transfer = nil
    parts.unsent.file(transfer, end)
  }

  func session(_ session: Session, didReceive bytes: RawSpan) {
    hasReceived = true
    bytes.withUnsafeBytes { onReceived($0) }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    guard case .closed(.lost(let error)) = new else { return }
    // Its last words may be what was awaited.
    onLost()
    finish(.failure(Failure(error)))
  }

  /// Reads what the driver has received by now: it belongs into a complete log.
  private func readRest() throws(Errno) {
    let deadline = MonotonicTime.now + Self.readingPatience
    repeat {
      hasReceived = false
      try loop.turn(waitingAtMost: .zero)
    } while hasReceived && .now < deadline
  }

  /// A device is not left in the middle of its reset, unless a signal or a failure says so.
  private func awaitOpening() throws(Errno) {
    while case .success(.done) = outcome, parts.opening.isPlaying { try loop.turn() }
  }

  /// A pipe gets everything, however slowly it is read; a signal ends that sooner.
  private func awaitReader() throws(Errno) {
    let pause = session.pauseReading()
    defer { pause.end() }
    let ended = outcome
    while !console.isOutputTerminal && !console.isDrained {
      if case .success(.signal) = outcome { return }
      if case .failure(let failure) = outcome, failure.status == .outputGone { return }
      outcome = nil
      try loop.turn()
      outcome = outcome ?? ended
    }
  }

  private func close() {
    parts.finishSending()
    if console.isOutputTerminal { view.finish() }
    _ = console.finish(within: Self.showPatience)
    parts.log.finish()
    _ = console.finish(within: Self.messagePatience)
    console.giveUp()
    session.removeObserver(self)
    session.close()
  }
}
