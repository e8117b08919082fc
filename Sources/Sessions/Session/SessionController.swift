package import DeviceWatch
package import Encodings
package import EventLoop
import Framing
import Logs
import NetworkLinks
package import Observing
package import Reconnecting
package import SerialCore
package import SystemPackage

/// A session and its collaborators: the hub that its bytes pass through, logs, binding,
/// reconnecting, lending. Any front end can use it.
///
/// The configuration can change once: when the device becomes known and has a profile.
/// ``adopt(_:)`` applies the first configuration and the changed one.
package final class SessionController {
  package let session: Session
  package let hub: Hub
  package let driver: SessionDriver
  package let log: SessionLogger
  private let logStart: LogStart
  /// The encoding of the device's text: that of the configuration, or the one that the user
  /// has chosen.
  package var encoding: Encoding {
    get { log.encoding }
    set { (log.encoding, sharing.screen.encoding, pacer.encoding) = (newValue, newValue, newValue) }
  }
  package let marks: Marks
  package let statistics: Statistics
  package private(set) lazy var lender = PortLender(
    session, on: loop,
    refusal: { [unowned self] in delegate?.reasonNotToRelease(portOf: self) },
    onUnsent: { [unowned self] in unsent.bytes($0) }, report: { [news] in news.notify($0) })
  package private(set) lazy var binder = TargetBinder(
    session, providers: providers, among: devices, on: loop,
    onFailure: { [ends] in ends.notify(.binding($0)) },
    onReport: { [unowned self] in reconnectorDidReport($0) },
    mayOpen: { [unowned self] in mayOpen($0, $1) })
  package let pacer: Pacer
  package let sequences: SequencePlayer
  package let opening: OpeningSequence
  package let unsent: UnsentReport
  /// The members of the session.
  package let sharing: SharingController
  /// Accepts clients that join the session; nil if none can join.
  package var server: PortServer?
  /// The members of the session as the user sees them, here and at the far end.
  package let userSharing: UserSharing
  /// News for the user, besides the events of the session.
  package let news: Observable<SessionNews>
  /// The exchange that has the pen; nil while the user, or the pipe, has it.
  package private(set) var exchange: (any RunningExchange)?
  /// The front end, which is asked what only it knows, and may veto.
  package weak var delegate: (any SessionControllerDelegate)? {
    didSet { session.delegate = delegate }
  }
  private let otherPrograms: PortUseWatch
  private let telnetWatch: TelnetWatch
  /// Why the session must end: its device is lost, or an error occurred.
  package let ends: Observable<SessionError>
  /// Whether a user can say which device has returned.
  package var canAsk = false
  /// What only the user can say about the lost device; nil for nothing.
  @Observed package private(set) var returnQuestion: ReturnQuestion?
  /// Whether queued bytes are discarded when the device is lost. Typed bytes must not reach another
  /// device. Piped bytes are one stream that continues.
  package var discardsForLostDevice = false

  private let loop: IOLoop
  private let providers: LinkProviders
  private let devices: DeviceCatalog
  private let configuration: SessionConfiguration
  private var stateChanges: ObservationToken<SessionEvent>?
  /// What lasts as long as the controller.
  private var observations: [AnyObject] = []
  private let link: LinkMaking
  private var knownDevice: Device?
  private var hasFinished = false
  private lazy var download = LogDownload(of: log)

  /// Creates a session and its collaborators.
  ///
  /// - Parameters:
  ///   - devices: the serial ports of this computer.
  ///   - providers: the known kinds of endpoints.
  ///   - writeCapacity: the capacity of the queue for sending, in bytes.
  package init(
    _ configuration: SessionConfiguration, among devices: DeviceCatalog, on loop: IOLoop,
    from providers: LinkProviders = .standard, writeCapacity: Int
  ) {
    (self.devices, self.providers, self.loop) = (devices, providers, loop)
    self.configuration = configuration
    let news = Observable<SessionNews>()
    self.news = news
    let link = LinkMaking(configuration.linkOptions, from: providers, on: loop) {
      news.notify(.kernelConsole($0))
    }
    self.link = link
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      link.link(to: $0)
    }
    let ends = Observable<SessionError>()
    self.ends = ends
    driver = SessionDriver(session, on: loop) { ends.notify(.watching($0)) }
    hub = Hub(of: session)
    sharing = SharingController(of: session, hub, on: loop)
    userSharing = UserSharing(of: sharing)
    log = SessionLogger(
      of: session, hub, on: loop,
      members: { [sharing] in sharing.isShared ? sharing.roster : Roster() }
    ) { news.notify($0) }
    logStart = LogStart(log, of: session)
    marks = Marks(in: log) { news.notify($0) }
    sequences = SequencePlayer(on: session, loop: loop) {
      news.notify(.networkTiming(sequence: $0))
    }
    opening = OpeningSequence(of: session, with: sequences) {
      news.notify(.openingSequenceFailed($0))
    }
    pacer = Pacer(of: session, on: loop)
    telnetWatch = TelnetWatch(session, hub) { news.notify(.telnetServer($0)) }
    otherPrograms = PortUseWatch(session, searchingBy: devices.holderSearch, on: loop) {
      news.notify($0)
    }
    unsent = UnsentReport { news.notify($0) }
    statistics = Statistics(of: session)
    stateChanges = session.observe(.stateChange, rank: .controller) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
    observations = [
      link.links.observe { [userSharing] in userSharing.observe($0) },
      sharing.events.observe { [log] in log.append($0) },
      session.observe(.stateChange, rank: .line) { [unowned session] in
        // A change of one setting must not change those that the joined session has set.
        if case .open(let endpoint, let settings) = $0.new, endpoint.kind == .session {
          session.requestedSettings = settings
        }
      },
      log.$path.observe { [unowned self] _ in updateLatency() },
    ]
    adopt(configuration)
  }

  /// Applies a configuration. An open port gets the parts that can be changed while it is open.
  package func adopt(_ configuration: SessionConfiguration) {
    session.requestedSettings = configuration.settings
    session.waitsForLostDevice = configuration.reconnects
    link.options = configuration.linkOptions
    opening.sequence = configuration.onOpen
    pacer.pacing = configuration.pacing
    log.configuration = configuration.log
    (sharing.screen.encoding, pacer.encoding) = (encoding, encoding)
    binder.waitsForAbsentDevice = configuration.waitsForAbsentDevice
    updateLatency()
  }

  /// Whether the front end needs the short silences between bytes, as those of Modbus RTU; nil to
  /// decide by the form of frames in the configuration. A log that is written decides for itself.
  package var showsSilences: Bool? {
    didSet { updateLatency() }
  }

  /// An FTDI adapter holds received bytes back for 16 ms: too long to see a short silence.
  private func updateLatency() {
    let isLogged = log.configuration.options.frameForm?.dependsOnSilence == true
    session.prefersLowLatency = showsSilences ?? isLogged || isLogged && log.path != nil
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released):
      if discardsForLostDevice {
        var discarded = session.discardUnsent()
        exchange?.portWasLost(discarding: &discarded)
        return unsent.bytes(discarded.total + sharing.discardWaiting())
      }
      // Queued bytes go to the device that returns. Bytes that the lost link had taken are gone.
      unsent.bytes(session.takeUnsentOfLostLink().total)
    case (_, .closed(.lost(let error))):
      ends.notify(.port(error))
    case (_, .open), (_, .waitingForDevice):
      startAwaitedLogs()
    case (_, .closed), (_, .opening), (_, .released): break
    }
  }

  private func startAwaitedLogs() {
    do throws(SessionError) {
      try logStart.stateDidChange { dependsOnDevice }
    } catch {
      ends.notify(error)
    }
  }

  // MARK: The log of the session

  /// Reads a piece of the session's log: that of the far end, if the user has joined a session; see
  /// ``LogDownload/read(_:from:answer:)``.
  package func readLog(
    _ count: Int, from offset: Int,
    answer: @escaping LogDownload.Answer
  ) {
    if let remote = userSharing.remote, remote.sharing.isJoined {
      remote.readLog(count, from: offset, answer: answer)
    } else {
      download.read(count, from: offset, answer: answer)
    }
  }

  // MARK: The end

  /// Closes the port. Finish sending and the logs first.
  package func close() {
    stateChanges = nil
    session.close()
  }

  // MARK: The exchange

  /// Starts an exchange. Until it ends, it is the one that is stopped, resumed and cut off.
  ///
  /// - Parameter begin: starts it. It may end during the call.
  package func run<Failure>(
    _ exchange: any RunningExchange, begin: () throws(Failure) -> Void
  ) throws(Failure) {
    self.exchange = exchange
    do {
      try begin()
    } catch {
      didEnd(exchange)
      throw error
    }
  }

  /// An exchange calls this at its end, before it reports that.
  package func didEnd(_ exchange: any RunningExchange) {
    if self.exchange === exchange { self.exchange = nil }
  }

  // MARK: Unsent bytes

  /// Discards the unsent bytes, and reports the file that is being sent and the number of the other
  /// bytes. Call it before the port is closed, or when it was lost.
  ///
  /// - Parameter unread: the number of input bytes that will not be read.
  package func discardUnsent(unread: Int = 0) {
    var discarded = session.discardUnsent()
    exchange?.cutOff(discarding: &discarded)
    unsent.bytes(discarded.total + sharing.discardWaiting() + unread)
  }

  /// Reports unsent bytes. Call it before the port is closed, however the session ends. Calling it
  /// again does nothing.
  package func finishSending() {
    guard !hasFinished else { return }
    hasFinished = true
    discardUnsent(unread: delegate?.unreadInputCount(of: self) ?? 0)
  }

  // MARK: The device

  /// Finds the device, and opens it or waits for it; see ``TargetBinder/bind(to:mayAsk:)``.
  package func bind(mayAsk: Bool) throws(SessionError) -> DeviceQuery? {
    try bind(to: configuration.target, mayAsk: mayAsk)
  }

  private var dependsOnDevice: Bool { delegate?.dependsOnDevice(self) ?? false }

  private func bind(to target: Target?, mayAsk: Bool) throws(SessionError) -> DeviceQuery? {
    binder.needsDevice = dependsOnDevice
    let question: DeviceQuery?
    do throws(BindingError) {
      question = try binder.bind(to: target, mayAsk: mayAsk)
    } catch {
      throw .binding(error)
    }
    if question == nil { try logStart.sessionIsBound(needingDevice: dependsOnDevice) }
    return question
  }

  /// Opens the device that the user has chosen.
  package func bind(toChosen target: Target) throws(SessionError) {
    let present: [Device]
    do throws(Errno) {
      present = try devices.current()
    } catch {
      throw .binding(.system(error))
    }
    let resolved = ResolvedTarget(target) { present }
    if let device = resolved.device(among: { present }) { try settle(device) }
    _ = try bind(to: target, mayAsk: false)
  }

  /// Prepares the session for its device, before the port is opened for the first time.
  private func mayOpen(_ endpoint: Endpoint, _ device: Device?) -> Bool {
    guard dependsOnDevice else { return true }
    do throws(SessionError) {
      if let device { try settle(device) }
      try logStart.start(at: endpoint)
      return true
    } catch {
      ends.notify(error)
      return false
    }
  }

  private func settle(_ device: Device) throws(SessionError) {
    guard device != knownDevice else { return }
    do {
      try delegate?.controller(self, didFind: device)
    } catch {
      throw .settling(error)
    }
    knownDevice = device
  }

  // MARK: Reconnecting

  /// Starts to watch for the device. Without a user, this is needed only if the device may appear
  /// or return, or if it is not open yet because udev may still set its permissions.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  package func startReconnecting() throws(Errno) {
    let isNeeded =
      canAsk || configuration.reconnects || configuration.waitsForAbsentDevice
      || !session.state.isOpen
    guard isNeeded else { return }
    try binder.startReconnecting()
  }

  private func reconnectorDidReport(_ report: Reconnector.Report) {
    switch report {
    case .held(let error): news.notify(.held(error))
    case .refused(let error):
      if binder.endsWhenRefused { return ends.notify(.port(error)) }
      news.notify(.refused(error))
    case .several(let devices):
      guard canAsk else { return ends.notify(.indistinguishable(devices)) }
      returnQuestion = .which(devices)
    case .lookAlikes(let devices):
      news.notify(.lookAlikes(devices))
      if canAsk { returnQuestion = .isThisIt(devices) }
    case .settled: returnQuestion = nil
    }
  }

  /// A question about the lost device.
  package enum ReturnQuestion: Hashable {
    /// Several devices match: which one is it?
    case which([Device])
    /// Similar devices are present: is one of them the lost one?
    case isThisIt([Device])
  }
}
