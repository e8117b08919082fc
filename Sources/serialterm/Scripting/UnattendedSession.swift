import DeviceWatch
import EventLoop
import Posix
import SerialCore
import SystemPackage

/// A session without a user, shared by the unattended commands.
final class UnattendedSession: SessionObserver {
  /// The purpose of a session.
  enum Purpose {
    /// A script or a program talks to the device. The port cannot be borrowed, and the session waits
    /// until its output is read.
    case script
    /// The session only logs: it does not use standard output, other programs can borrow the port, and
    /// every loss and return of the device is reported.
    case log
  }

  /// Called once, when the port is open and waiting bytes have been read.
  var onReady: () -> Void = {}
  /// Called once, when the port is open or the session waits for it.
  var onWaiting: () -> Void = {}
  /// Called when the device is gone and its last bytes have been read.
  var onLost: () -> Void = {}
  /// Called when standard output takes bytes again after ``isCrowded``.
  var onRoom: () -> Void = {}
  /// Called with received bytes.
  var onReceived: (UnsafeRawBufferPointer) -> Void = { _ in }

  /// Returns the configuration once the device is known; nil if it does not depend on the device.
  var configurationForDevice: ((Device) throws -> SessionConfiguration)?

  let loop: IOLoop
  let console: Console
  let session: Session
  private let parts: SessionParts
  private let configuration: SessionConfiguration
  private let purpose: Purpose
  private let view: DeviceView
  private let narrator: SessionNarrator
  /// The observed state, which determines the available commands.
  let model: TerminalStateModel
  private let releaseDesk: ReleaseDesk
  private var signals: SignalWatch?
  /// Pauses reading from the device while standard output is crowded.
  private var crowdPause: Session.Pause?
  private var isReady = false
  /// Whether bytes were received in the present turn of the loop.
  private var hasReceived = false
  /// Whether ``finish(_:)`` was called, so that the session only waits for unread output.
  private(set) var isOver = false
  private var outcome: Result<ExitStatus, Failure>?

  /// The largest text that a script, or an argument (128 KiB, see execve(2)), can send.
  private static let queueCapacity = 1_048_576
  /// The time limit for showing the remaining output on the user's terminal.
  private static let showPatience = Duration.milliseconds(200)
  /// The time limit for reading the driver's remaining bytes at the end.
  private static let readingPatience = Duration.milliseconds(100)
  /// The time limit for the last messages.
  private static let messagePatience = Duration.milliseconds(20)

  /// Creates the session; nothing is opened before ``run()``.
  ///
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
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
      // Set here already: the first line may find that standard output is closed.
      console.onOutputGone = { [unowned self] in finish(.failure(Failure(outputGone: $0))) }
    }
    session.addObserver(self)
  }

  /// Handles reports about the awaited device. There is no user to ask.
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

  /// Opens the port, and runs until ``finish(_:)`` is called.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
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
    // Opening the port may reset a board. If standard output is closed already, the port stays closed.
    if let outcome { return try outcome.get() }
    _ = try parts.bind(to: configuration.target, mayAsk: false)
    // Without reconnecting there is nothing to watch for, unless the port is not open yet: udev may
    // still be setting its permissions.
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
        // Waiting bytes are read before anything is sent.
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

  /// The number of bytes that are missing from the logs.
  var unloggedCount: Int { parts.log.missingCount }

  /// The paths of the logs.
  var logPaths: [FilePath] { parts.log.paths }

  /// Ends the session; the first reason counts.
  func finish(_ outcome: Result<ExitStatus, Failure>) {
    if self.outcome == nil { self.outcome = outcome }
  }

  /// Whether standard output has to be read before more is written to it.
  var isCrowded: Bool { console.isCrowded }

  /// Writes received bytes to standard output: unchanged, or filtered for a terminal.
  func show(_ bytes: UnsafeRawBufferPointer) {
    if console.isOutputTerminal { view.show(bytes) } else { write(bytes) }
  }

  /// Writes bytes to standard output unchanged.
  func write(_ bytes: UnsafeRawBufferPointer) {
    console.show(bytes)
    if isCrowded && crowdPause == nil { crowdPause = session.pauseReading() }
  }

  /// Reports settings for which the driver uses other values.
  func warnOfDifferences() { narrator.warnOfDifferences(in: session) }

  /// The message when sending makes no progress. The number of unsent bytes is reported at the end.
  func standstill(_ time: String) -> String {
    parts.pacer.isAwaitingPrompt
      ? "the prompt of --wait-for did not come \(time)." : "the device took nothing \(time)."
  }

  /// The number of bytes of the input that were not read; see ``SessionParts/unreadInputCount``.
  var unreadInputCount: () -> Int {
    get { parts.unreadInputCount }
    set { parts.unreadInputCount = newValue }
  }

  /// The file that is being sent.
  var transfer: FileTransfer? {
    get { parts.transfer }
    set { parts.transfer = newValue }
  }

  /// Reports a file that was not sent completely.
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
    // The last bytes may contain the expected text.
    onLost()
    finish(.failure(Failure(error)))
  }

  /// Reads what the driver has received so far, so that the log is complete.
  private func readRest() throws(Errno) {
    let deadline = MonotonicTime.now + Self.readingPatience
    repeat {
      hasReceived = false
      try loop.turn(waitingAtMost: .zero)
    } while hasReceived && .now < deadline
  }

  /// Waits for the end of the `--on-open` sequence, so that a reset is not cut off. A signal or a
  /// failure does not wait.
  private func awaitOpening() throws(Errno) {
    while case .success(.done) = outcome, parts.opening.isPlaying { try loop.turn() }
  }

  /// Waits until a pipe has been read completely. A signal ends the wait.
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
