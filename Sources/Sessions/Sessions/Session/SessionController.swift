package import DeviceWatch
package import EventLoop
import Glibc
import NetworkLinks
package import Observing
package import Reconnecting
package import SerialCore
package import SystemPackage
import TextTools

/// A session and its collaborators: the hub that its bytes pass through, logs, binding, reconnecting, lending. Any
/// front end can use it.
///
/// The configuration can change once: when the device becomes known and has a profile. ``adopt(_:)`` applies the
/// first configuration and the changed one.
package final class SessionController {
  package let session: Session
  package let hub: Hub
  package let driver: SessionDriver
  package let log: SessionLogger
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
  /// The members of the session at the far end; nil if the far end is not a session.
  package private(set) var remoteSharing: RemoteSharing?
  /// The members of the session as the user sees them, and who has the pen: those of ``penControl``.
  @Observed package private(set) var people = Sharing()
  /// News for the user, besides the events of the session.
  package let news: Observable<SessionNews>
  /// The exchange that has the pen; nil while the user, or the pipe, has it.
  package var exchange: (any RunningExchange)?
  /// The front end, which is asked what only it knows, and may veto.
  package weak var delegate: (any SessionControllerDelegate)? {
    didSet { session.delegate = delegate }
  }
  private let otherPrograms: SharingWatch
  private let telnetWatch: TelnetWatch
  /// Why the session must end: its device is lost, or an error occurred.
  package let ends: Observable<SessionError>
  /// Whether a user can say which device has returned.
  package var canAsk = false
  /// What only the user can say about the lost device; nil for nothing.
  @Observed package private(set) var returnQuestion: ReturnQuestion?
  /// Whether queued bytes are discarded when the device is lost. Typed bytes must not reach another device. Piped
  /// bytes are one stream that continues.
  package var discardsForLostDevice = false

  private let loop: IOLoop
  private let providers: LinkProviders
  private let devices: DeviceCatalog
  private let configuration: SessionConfiguration
  private var stateChanges: ObservationToken<SessionEvent>?
  /// The observations of ``sharing``, and of ``remoteSharing``.
  private var (sharingTokens, remoteTokens): ([AnyObject], [AnyObject]) = ([], [])
  private let link: LinkMaking
  private var links: ObservationToken<any Link>?
  private var knownDevice: Device?
  private var hasStartedLogs = false
  /// Whether to start the logs when the port is open, or is awaited.
  private var isLogStartDue = false
  private var hasFinished = false

  /// The options for opening a port, shared with the closure that opens it.
  private final class LinkMaking {
    var options: LinkOptions
    /// Each link that was made.
    let links = Observable<any Link>()
    private var hasLookedForConsole = false
    init(_ options: LinkOptions) { self.options = options }

    /// The path of the endpoint, if it is a console of the kernel, and a port is opened for the first time.
    func kernelConsole(at endpoint: Endpoint) -> FilePath? {
      guard !hasLookedForConsole else { return nil }
      hasLookedForConsole = true
      return endpoint.path.flatMap { KernelConsoles().contains($0) ? $0 : nil }
    }
  }

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
    let link = LinkMaking(configuration.linkOptions)
    self.link = link
    let news = Observable<SessionNews>()
    self.news = news
    session = Session(settings: configuration.settings, writeCapacity: writeCapacity) {
      if let console = link.kernelConsole(at: $0) { news.notify(.kernelConsole(console)) }
      let made = providers.link(to: $0, options: link.options, on: loop)
      link.links.notify(made)
      return made
    }
    let ends = Observable<SessionError>()
    self.ends = ends
    driver = SessionDriver(session, on: loop) { ends.notify(.watching($0)) }
    hub = Hub(of: session)
    sharing = SharingController(of: session, hub, on: loop)
    log = SessionLogger(
      of: session, hub, on: loop,
      members: { [sharing] in sharing.isShared ? sharing.roster : Roster() }
    ) { news.notify($0) }
    marks = Marks(in: log) { news.notify($0) }
    sequences = SequencePlayer(on: session, loop: loop) {
      news.notify(.networkTiming(sequence: $0))
    }
    opening = OpeningSequence(of: session, with: sequences) {
      news.notify(.openingSequenceFailed($0))
    }
    pacer = Pacer(of: session, on: loop)
    telnetWatch = TelnetWatch(session, hub) { news.notify(.telnetServer($0)) }
    otherPrograms = SharingWatch(session, on: loop) { news.notify($0) }
    unsent = UnsentReport { news.notify($0) }
    statistics = Statistics(of: session)
    links = link.links.observe { [unowned self] in follow($0) }
    sharingTokens = [
      sharing.$sharing.observe { [unowned self] _ in people = penControl.sharing },
      sharing.events.observe { [unowned self] in
        log.append($0)
        news.notify(.people($0))
      },
    ]
    stateChanges = session.observe(.stateChange, rank: .controller) { [unowned self] in
      stateDidChange(from: $0.old, to: $0.new)
    }
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
    binder.waitsForAbsentDevice = configuration.waitsForAbsentDevice
  }

  private func stateDidChange(from old: SessionState, to new: SessionState) {
    switch (old, new) {
    case (.open, .waitingForDevice), (.open, .released):
      if discardsForLostDevice {
        var discarded = session.discardUnsent()
        exchange?.lose(discarding: &discarded)
        return unsent.bytes(discarded.total + sharing.discardWaiting())
      }
      // Queued bytes go to the device that returns. Bytes that the lost link had taken are gone.
      unsent.bytes(session.takeUnsentOfLostLink().total)
    case (_, .closed(.lost(let error))):
      ends.notify(.port(error))
    case (_, .open), (_, .waitingForDevice):
      if isLogStartDue { startLogsLate() }
    case (_, .closed), (_, .opening), (_, .released): break
    }
  }

  private func startLogsLate() {
    do throws(SessionError) {
      try startLogsIfBound()
    } catch {
      ends.notify(error)
    }
  }

  // MARK: Sharing

  /// Where the user asks for the pen: at the far end, if that is a session in which the user may not write; otherwise
  /// here.
  package var penControl: any PenControl {
    guard let remoteSharing, remoteSharing.isShared else { return sharing }
    return remoteSharing.sharing.pen != .mine || sharing.sharing.others.isEmpty
      ? remoteSharing : sharing
  }

  /// Whether no member may send; see ``SharingController/isReadOnly``. A session in another program gets its pen back.
  package var isReadOnly: Bool {
    get { sharing.isReadOnly }
    set {
      sharing.isReadOnly = newValue
      remoteSharing?.isReadOnly = newValue
    }
  }

  private func follow(_ link: any Link) {
    guard let link = link as? NetworkLink else { return }
    let remote = RemoteSharing(of: link, isJoined: link.endpoint.kind == .session)
    remoteSharing = remote
    remoteTokens = [
      remote.$sharing.observe { [unowned self] _ in people = penControl.sharing },
      remote.news.observe { [unowned self] in news.notify(.far($0)) },
    ]
    remote.isReadOnly = isReadOnly
    // A user who has joined a session has the pen only when that session has said so.
    people = penControl.sharing
  }

  /// A description of the session for users who may want to join it.
  package var summary: SessionSummary {
    SessionSummary(
      port: session.state.endpoint.map { "\($0)".harmless } ?? "", since: start,
      command: commandName, holder: sharing.roster.holder.flatMap { sharing.member($0)?.name },
      others: sharing.roster.members.filter { $0.id != sharing.roster.holder }.map(\.name),
      addresses: sharing.addresses)
  }

  /// The time when the program started, in seconds since 1970-01-01 UTC.
  private let start = time(nil)
  /// The name of the subcommand that runs the session, shown to others.
  package var commandName = "connect"

  // MARK: The end

  /// Closes the port. Finish sending and the logs first.
  package func close() {
    stateChanges = nil
    session.close()
  }

  /// Discards the unsent bytes, and reports the file that is being sent and the number of the other bytes. Call it
  /// before the port is closed, or when it was lost.
  ///
  /// - Parameter unread: the number of input bytes that will not be read.
  package func discardUnsent(unread: Int = 0) {
    var discarded = session.discardUnsent()
    exchange?.cutOff(discarding: &discarded)
    unsent.bytes(discarded.total + sharing.discardWaiting() + unread)
  }

  /// Reports unsent bytes. Call it before the port is closed, however the session ends. Calling it again does
  /// nothing.
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
    if question == nil { try startLogsIfBound() }
    return question
  }

  /// Starts the logs when the port is open or awaited. While the port is being opened, it may still fail; and
  /// the logs are known only when the profile is.
  private func startLogsIfBound() throws(SessionError) {
    if case .opening = session.state { return isLogStartDue = true }
    isLogStartDue = false
    if !dependsOnDevice || session.state.isOpen {
      try startLogs(at: session.state.endpoint)
    }
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
      try startLogs(at: endpoint)
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

  /// Starts the logs when the device is present: a failed start leaves no file behind.
  private func startLogs(at endpoint: Endpoint?) throws(SessionError) {
    guard !hasStartedLogs else { return }
    hasStartedLogs = true
    do throws(LogError) {
      try log.start(at: endpoint)
    } catch {
      throw .log(error)
    }
  }

  // MARK: Reconnecting

  /// Starts to watch for the device. Without a user, this is needed only if the device may appear or return, or if it
  /// is not open yet because udev may still set its permissions.
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
