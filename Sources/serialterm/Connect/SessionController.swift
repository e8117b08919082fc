import DeviceWatch
import EventLoop
import Observing
import SerialCore
import SessionKit
import SystemPackage

/// One session and its collaborators, shared by interactive and scripted use.
///
/// The session's bytes pass through its hub; what the session can do follows from ``model``. An ``App``
/// has any number of these.
///
/// The configuration can change once: when the device is known and a profile is for it. ``adopt(_:)``
/// applies it in both cases.
final class SessionController {
  let session: Session
  let hub: Hub
  let driver: SessionDriver
  let log: LogKeeper
  /// The observed state, which determines the available commands.
  let model: TerminalStateModel
  let statistics = Statistics()
  let lineCommands: LineCommands
  let releaseDesk: ReleaseDesk
  /// Tells the user about the port's openings and losses, once it observes the session.
  let narrator: SessionNarrator
  let binder: TargetBinder
  let pacer: Pacer
  let opening: OpeningSequence
  private(set) lazy var unsent = UnsentReport { [unowned self] in console.warn(named($0)) }
  /// The exchange that has the pen.
  var exchange: (any RunningExchange)?
  /// The number of bytes of the input that can be read and were not.
  var unreadInputCount: () -> Int = { 0 }
  private let sharing: SharingWatch
  /// Called with a device that was not known when the program started, before its port is opened for
  /// the first time; nil if the configuration does not depend on the device. It may call ``adopt(_:)``.
  var onDeviceKnown: ((Device) throws -> Void)?
  /// Called when the logs of the configuration have been started.
  var onLogsStarted: () -> Void = {}
  /// Called when the device is lost for good, and its last bytes were received; before ``onEnd``.
  var onLost: () -> Void = {}
  /// Called when something ends the session: the loss of its device, or an error.
  var onEnd: (Result<ExitStatus, Failure>) -> Void = { _ in }
  /// Asks the user which device has come back; nil without a user. The argument is nil when there is
  /// nothing to ask any more.
  var askForReturned: ((_ title: String?) -> Void)?
  /// Whether what was queued for a device is discarded when the device is gone: what was typed must not
  /// reach another one. What a program pipes is one stream, and goes on.
  var discardsForLostDevice = false

  /// The name of the port in messages that do not say which one it is; nil while it is the only one.
  var name: String?

  private let console: Console
  private let devices: DeviceCatalog
  private let configuration: SessionConfiguration
  private var stateChanges: ObservationToken<SessionEvent>?
  private let link: LinkMaking
  private var knownDevice: Device?
  private var hasStartedLogs = false
  private var hasFinished = false

  /// The options for opening a port, shared with the closure that opens it.
  private final class LinkMaking {
    var options: LinkOptions
    private var hasLookedForConsole = false
    init(_ options: LinkOptions) { self.options = options }

    /// Says, before a port is opened for the first time, that the kernel writes to it too.
    func warnOfConsole(at endpoint: Endpoint, on console: Console) {
      guard !hasLookedForConsole else { return }
      hasLookedForConsole = true
      guard let path = endpoint.path, KernelConsoles().contains(path) else { return }
      console.warn(
        "warning: \(path) is a console of the kernel. Its messages come between the device's bytes, "
          + "and what you send may reach a login prompt.")
    }
  }

  /// Creates a session and its collaborators.
  ///
  /// - Parameters:
  ///   - state: the observed state at the start; the session determines the rest of it.
  ///   - devices: the serial ports of the machine.
  ///   - writeCapacity: the capacity of the queue for sending, in bytes.
  init(
    _ configuration: SessionConfiguration, in state: TerminalState, among devices: DeviceCatalog,
    on console: Console, loop: IOLoop, writeCapacity: Int
  ) {
    self.console = console
    self.devices = devices
    self.configuration = configuration
    let link = LinkMaking(configuration.linkOptions)
    self.link = link
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      link.warnOfConsole(at: $0, on: console)
      return LinkProviders.standard.link(to: $0, options: link.options)
    }
    driver = SessionDriver(session, on: loop)
    hub = Hub(of: session)
    log = LogKeeper(of: session, hub, on: console, loop: loop)
    opening = OpeningSequence(of: session, on: loop)
    pacer = Pacer(of: session, on: loop)
    binder = TargetBinder(session, among: devices, on: loop)
    sharing = SharingWatch(session, on: loop, console: console)
    let model = TerminalStateModel(state)
    self.model = model
    lineCommands = LineCommands(session, model, on: loop)
    releaseDesk = ReleaseDesk(session, on: loop) { Command.release.availability(in: model.state) }
    narrator = SessionNarrator(on: console)
    session.addObserver(model)
    session.addObserver(statistics)
    opening.onFailure = { [console] in console.warn(Failure($0).message) }
    releaseDesk.onMessage = { [console] in console.say($0) }
    releaseDesk.onUnsent = { [unowned self] in unsent.bytes($0) }
    narrator.borrowers = { [releaseDesk] in releaseDesk.borrowerNames }
    binder.onFailure = { [unowned self] in onEnd(.failure(Failure($0))) }
    driver.onFailure = { [unowned self] in
      onEnd(.failure(Failure(.otherFailure, "the port cannot be watched: \($0).")))
    }
    followState()
    adopt(configuration)
  }

  /// A message with the name of the port, if it needs one.
  func named(_ message: String) -> String { name.map { "\($0): \(message)" } ?? message }

  /// Starts to tell the user about the port's openings and losses.
  func narrate() {
    session.addObserver(narrator)
    // After the narrator: that the device is gone is said before what was not sent.
    followState()
  }

  private func followState() {
    stateChanges = session.observe(\.stateChange) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
  }

  /// Applies a configuration. An open port gets those parts that can be changed while it is open.
  func adopt(_ configuration: SessionConfiguration) {
    session.requestedSettings = configuration.settings
    session.waitsForLostDevice = configuration.reconnects
    link.options = configuration.linkOptions
    opening.sequence = configuration.onOpen
    pacer.pacing = configuration.pacing
    log.configuration = configuration.log
    binder.waitsForAbsentDevice = configuration.waitsForAbsentDevice
    console.isQuiet = configuration.isQuiet
    model.update {
      $0.requestedSettings = configuration.settings
      $0.reconnects = configuration.reconnects
    }
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    if old.isOpen && !new.isOpen { lineCommands.forget() }
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released):
      if discardsForLostDevice { discardUnsent() }
    case (_, .closed(.lost(let error))):
      // The last bytes may contain the text that a script expects.
      onLost()
      onEnd(.failure(Failure(error)))
    case (.open, _), (.opening, _), (.closed, _), (.waitingForDevice, _), (.released, _): break
    }
  }

  // MARK: The end

  /// Closes the port. Finish sending and the logs first.
  func close() {
    stateChanges = nil
    session.close()
  }

  /// Discards the bytes that were not sent, and reports the file that is being sent and the number of
  /// the other bytes. Call it before the port is closed, or when it was lost.
  ///
  /// - Parameter unread: the number of bytes of the input that will not be read.
  func discardUnsent(unread: Int = 0) {
    var discarded = session.discardUnsent()
    exchange?.cutOff(discarding: &discarded)
    unsent.bytes(discarded.total + unread)
  }

  /// Reports what was not sent. Call it on every way out, before the port is closed. Calling it again
  /// does nothing.
  func finishSending() {
    guard !hasFinished else { return }
    hasFinished = true
    discardUnsent(unread: unreadInputCount())
  }

  /// The outcome of the program, with regard to this session. Finish the logs first.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    // The log has reported what is missing.
    unsent.verdict(on: outcome, isLogComplete: log.missingCount == 0)
  }

  // MARK: The device

  /// Finds the device, and opens it or waits for it; see ``TargetBinder/bind(to:mayAsk:)``.
  ///
  /// - Throws: ``Failure``, and what the device source says.
  func bind(mayAsk: Bool) throws -> DeviceQuery? {
    try bind(to: configuration.target, mayAsk: mayAsk)
  }

  private func bind(to target: Target?, mayAsk: Bool) throws -> DeviceQuery? {
    if onDeviceKnown != nil {
      binder.onArrival = { [unowned self] in deviceArrived(at: $0, $1) }
    }
    let question: DeviceQuery?
    do throws(BindingError) {
      question = try binder.bind(to: target, mayAsk: mayAsk)
    } catch {
      throw Failure(error)
    }
    // Until the profile is known, the logs are not known either.
    if question == nil && (onDeviceKnown == nil || session.state.isOpen) {
      try startLogs(at: session.state.endpoint?.path)
    }
    return question
  }

  /// Opens the device that the user has chosen.
  ///
  /// - Throws: ``Failure``.
  func bind(toChosen target: Target) throws {
    let present = try devices.current()
    let resolved = ResolvedTarget(target) { present }
    if let device = resolved.device(among: { present }) { try settle(device) }
    _ = try bind(to: target, mayAsk: false)
  }

  private func deviceArrived(at endpoint: Endpoint, _ device: Device?) -> Bool {
    do {
      if let device { try settle(device) }
      try startLogs(at: endpoint.path)
      return true
    } catch {
      onEnd(.failure(error as? Failure ?? Failure(.otherFailure, "\(error).")))
      return false
    }
  }

  private func settle(_ device: Device) throws {
    guard device != knownDevice else { return }
    try onDeviceKnown?(device)
    knownDevice = device
  }

  /// Starts the logs when the device is present: a failed attempt leaves no file behind.
  private func startLogs(at node: FilePath?) throws(Failure) {
    guard !hasStartedLogs else { return }
    hasStartedLogs = true
    try log.start(for: session.state, at: node)
    onLogsStarted()
  }

  // MARK: Reconnecting

  /// Starts to watch for the device. Without a user, it is needed only if the device may come, or come
  /// back, or if it is not open yet: udev may still be setting its permissions.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  func startReconnecting() throws(Errno) {
    let isNeeded =
      askForReturned != nil || configuration.reconnects || configuration.waitsForAbsentDevice
      || !session.state.isOpen
    guard isNeeded else { return }
    try binder.startReconnecting { [unowned self] in take($0) }
  }

  private func take(_ report: Reconnector.Report) {
    switch report {
    case .held(let error): console.say(error.heldForNow)
    case .refused(let error):
      if binder.endsWhenRefused { return onEnd(.failure(Failure(error))) }
      console.say(Failure(error).message)
    case .several(let devices):
      guard let askForReturned else {
        return onEnd(.failure(Failure(indistinguishable: devices)))
      }
      askForReturned("which one is the lost device?")
    case .lookAlikes(let devices):
      console.answer(devices.notTaken)
      askForReturned?("is this the lost device?")
    case .settled: askForReturned?(nil)
    }
  }
}

extension SerialError {
  /// The message about a port that is busy, and waited for.
  fileprivate var heldForNow: String {
    "waiting for \(endpoint): \(PortProblem.busy(at: endpoint))."
  }
}

extension [Device] {
  /// Why similar devices are not used, in lines.
  fileprivate var notTaken: [String] {
    ["not used, because it is not certain that it is the lost device:"] + lines
  }
}

extension Failure {
  /// More than one device may be the lost one, and there is no user to ask.
  fileprivate init(indistinguishable devices: [Device]) {
    let list = devices.lines.joined(separator: "\n")
    self.init(.usage, "more than one device may be the lost device:\n\(list)")
  }
}
