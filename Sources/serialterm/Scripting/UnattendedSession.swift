import DeviceWatch
import EventLoop
import Posix
import SerialCore
import SystemPackage

/// A session that no user sits at: what the commands have in common that talk to a device by
/// themselves.
final class UnattendedSession: SessionObserver {
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

  /// Says what the session is to be once its device is known; nil where that is no matter.
  var configurationForDevice: ((Device) throws -> SessionConfiguration)?

  let loop: EventLoop
  let console: Console
  let session: Session
  private let parts: SessionParts
  private let configuration: SessionConfiguration
  private let view: DeviceView
  private let narrator: SessionNarrator
  private let releaseDesk: ReleaseDesk
  private var signals: SignalWatch?
  private var isReady = false
  /// Whether somebody has called ``finish(_:)``, and only what is left to be read is waited for.
  private(set) var isOver = false
  private var outcome: Result<ExitStatus, Failure>?

  /// The largest text that a script, or an argument (128 KiB, see execve(2)), may have us send.
  private static let queueCapacity = 1_048_576
  /// How long the user's terminal may take over what is left to show.
  private static let showPatience = Duration.milliseconds(200)
  /// How long it may take over the last words.
  private static let messagePatience = Duration.milliseconds(20)

  /// Creates the session; nothing is opened before ``run()``.
  ///
  /// - Throws: what epoll_create1(2) and epoll_ctl(2) say.
  init(_ configuration: SessionConfiguration) throws(Errno) {
    self.configuration = configuration
    loop = try EventLoop()
    console = try Console(on: loop, isQuiet: configuration.isQuiet, isRaw: false)
    view = DeviceView(ViewSettings(), on: console, loop: loop)
    parts = SessionParts(
      configuration, on: console, loop: loop, writeCapacity: Self.queueCapacity)
    session = parts.session
    narrator = SessionNarrator(on: console)
    releaseDesk = ReleaseDesk(session, on: loop)
    releaseDesk.refusal = "it is in the hands of a program, and is free when that has ended"
    session.addObserver(self)
  }

  /// Says how it stands with a device that is to come back; there is nobody to ask.
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
    console.onOutputGone = { [unowned self] in finish(.failure(Failure(outputGone: $0))) }
    console.onRoom = { [unowned self] in
      session.isReadingPaused = false
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
    _ = try parts.bind(to: configuration.target, mayAsk: false)
    // Nobody has to watch for devices where one that goes away is not waited for; one whose
    // permissions are still on their way is, for a moment.
    if configuration.reconnects || configuration.waitsForAbsentDevice || !session.state.isOpen {
      try parts.binder.startReconnecting { [unowned self] in take($0) }
    }
    let control = ControlServer.start(for: releaseDesk, on: loop)
    defer { control?.stop() }
    onWaiting()
    while outcome == nil {
      if session.state.isOpen && !isReady {
        isReady = true
        warnOfDifferences()
        // Whatever waits at the port has its turn before anything is sent.
        try loop.turn(waitingAtMost: .zero)
        if outcome == nil { onReady() }
      } else {
        try loop.turn()
      }
    }
    isOver = true
    try awaitOpening()
    try awaitReader()
    let status = try outcome!.get()
    parts.log.finish()
    // What is missing was said when the log ended.
    if status == .done && parts.log.missingCount > 0 { throw Failure(.logFailed, "") }
    return status
  }

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
    if isCrowded { session.isReadingPaused = true }
  }

  /// Says which settings the driver took otherwise than they were asked for.
  func warnOfDifferences() { narrator.warnOfDifferences(in: session) }

  /// What to say when nothing has been sent for a while: why, and how much is left.
  func standstill(_ time: String) -> String {
    let left = "\(session.unsentByteCount.grouped) bytes were not sent."
    return parts.pacer.isAwaitingPrompt
      ? "the prompt of --wait-for did not come \(time): \(left)"
      : "the device took nothing \(time): \(left)"
  }

  func session(_ session: Session, didReceive bytes: RawSpan) {
    bytes.withUnsafeBytes { onReceived($0) }
  }

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    guard case .closed(.lost(let error)) = new else { return }
    // Its last words may be what was awaited.
    onLost()
    finish(.failure(Failure(error)))
  }

  /// A device is not left in the middle of its reset, unless a signal or a failure says so.
  private func awaitOpening() throws(Errno) {
    while case .success(.done) = outcome, parts.opening.isPlaying { try loop.turn() }
  }

  /// A pipe gets everything, however slowly it is read; a signal ends that sooner.
  private func awaitReader() throws(Errno) {
    session.isReadingPaused = true
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
    if console.isOutputTerminal { view.finish() }
    _ = console.finish(within: Self.showPatience)
    parts.log.finish()
    _ = console.finish(within: Self.messagePatience)
    session.removeObserver(self)
    session.close()
  }
}
