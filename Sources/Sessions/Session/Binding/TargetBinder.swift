package import DeviceWatch
import EventLoop
import Glibc
import NetworkLinks
import Observing
import Reconnecting
package import SerialCore
package import SystemPackage

/// Binds a session to the endpoint that the user named, and owns the objects that this needs.
final class TargetBinder {
  private let session: Session
  private let providers: LinkProviders
  private let devices: DeviceCatalog
  private let loop: IOLoop
  /// Whether to wait for a device that is missing or busy.
  var waitsForAbsentDevice = false
  /// Whether a user who names no target may mean something else than the only device: a place
  /// of labgrid.
  var offersMore = LabgridQuery.isConfigured
  /// See ``Reconnector/needsDevice``.
  var needsDevice = false
  weak var delegate: (any TargetBinderDelegate)?
  private var prepared: PreparedEndpoint?
  private var reconnector: Reconnector?
  /// Whether opening was denied just after the node appeared: udev may not have set
  /// its permissions yet.
  private var isOpeningLate = false
  private var lateResult: ObservationToken<SessionEvent>?

  /// Creates a binder.
  ///
  /// - Parameters:
  ///   - session: makes its links with the same providers.
  ///   - providers: the known kinds of endpoints.
  ///   - devices: the serial ports of this computer.
  init(
    _ session: Session, providers: LinkProviders, among devices: DeviceCatalog, on loop: IOLoop
  ) {
    self.session = session
    self.providers = providers
    self.devices = devices
    self.loop = loop
  }

  /// Finds the far end, then opens it or waits for it.
  ///
  /// - Parameters:
  ///   - target: nil stands for the only device.
  ///   - mayAsk: whether there is a user who can choose among several devices.
  /// - Returns: the query that the user has to resolve; nil if the session is bound.
  func bind(to target: Target?, mayAsk: Bool) throws(BindingError) -> DeviceQuery? {
    if target == nil && !mayAsk { throw .noTarget }
    switch try resolve(target, offersMore: mayAsk && offersMore) {
    case .endpoint(let endpoint): try open(named: endpoint)
    case .device(let device, .fitting(let place)) where place.isPlace:
      reconnect(following: .selector(place))
      try open(.tty(device.node))
    case .device(let device, _):
      reconnect(following: .identity(IdentityMatcher(for: device, among: try present())))
      try open(.tty(device.node))
    case .none(.next): try waitForNext(named: "new")
    case .several(_, let query) where mayAsk: return query
    case .several(let devices, let query): throw .several(query, devices)
    case .none(.fitting(let selector)) where waitsForAbsentDevice:
      reconnect(following: .selector(selector))
      try wait(at: Endpoint(.unresolved, "\(selector)"))
    case .none(.latest) where waitsForAbsentDevice: try waitForNext(named: "latest")
    case .none(let query):
      if mayAsk && (query == .latest || query == .only) { return query }
      throw .none(query, among: try present())
    }
    return nil
  }

  private func resolve(
    _ target: Target?, offersMore: Bool
  ) throws(BindingError) -> ResolvedTarget {
    try ResolvedTarget(target, offersMore: offersMore) { () throws(BindingError) in
      try present()
    }
  }

  /// The present device that a target leads to; nil if there is none, or if udev does not know it.
  func device(at target: Target) throws(BindingError) -> Device? {
    let all = try present()
    return ResolvedTarget(target) { all }.device { all }
  }

  private func present() throws(BindingError) -> [Device] {
    do { return try devices.current() } catch { throw .system(error) }
  }

  // MARK: Opening and waiting

  private func open(named endpoint: Endpoint) throws(BindingError) {
    let provider = providers.provider(of: endpoint)
    let prepared: PreparedEndpoint
    do { prepared = try provider.prepare(endpoint, on: loop) } catch { throw .system(error) }
    self.prepared = prepared
    reconnect(
      to: provider.presence(of: prepared.endpoint, among: devices, on: loop),
      attemptInterval: provider.attemptInterval)
    try open(prepared.endpoint)
  }

  private func reconnect(following binding: DeviceBinding) {
    reconnect(to: DevicePresence(of: binding, among: devices, on: loop))
  }

  /// Prepares to reconnect the session.
  private func reconnect(
    to presence: (any Presence)?, attemptInterval: Duration = ReturnPatience.blindInterval
  ) {
    reconnector = Reconnector(
      session, to: presence, on: Scheduler(loop), attemptInterval: attemptInterval,
      onReport: { [unowned self] in delegate?.binder(self, didReport: $0) },
      mayOpen: { [unowned self] in delegate?.binder(self, mayOpen: $0, $1) ?? true })
  }

  /// Waits for a device that is not present yet. To recognise it, the binding must know those
  /// that are present.
  private func waitForNext(named name: String) throws(BindingError) {
    reconnect(following: .next(after: try present()))
    try wait(at: Endpoint(.unresolved, name))
  }

  private func wait(at endpoint: Endpoint) throws(BindingError) {
    do { try session.waitForDevice(at: endpoint) } catch { throw .port(error) }
  }

  private func open(_ endpoint: Endpoint) throws(BindingError) {
    do { try session.open(endpoint) } catch { return try wait(at: endpoint, after: error) }
    guard case .opening = session.state else { return }
    // A network link reports its result in a later turn of the loop.
    lateResult = session.observe(.stateChange) { [unowned self] in
      openingEnded(at: endpoint, in: $0.new)
    }
  }

  private func openingEnded(at endpoint: Endpoint, in state: SessionState) {
    lateResult = nil
    guard case .closed(.failed(let error)) = state else { return }
    do { try wait(at: endpoint, after: error) } catch { delegate?.binder(self, didFailWith: error) }
  }

  /// Waits for an endpoint that could not be opened, if that may succeed later.
  private func wait(at endpoint: Endpoint, after error: SerialError) throws(BindingError) {
    switch error.code {
    case .notFound where waitsForAbsentDevice, .noHardware where waitsForAbsentDevice,
      .busy where waitsForAbsentDevice, .unreachable where waitsForAbsentDevice:
      break
    case .permissionDenied where waitsForAbsentDevice || endpoint.path?.isNew == true:
      isOpeningLate = true
    case .notFound, .permissionDenied, .noHardware, .notASerialPort, .attended, .notAdmitted,
      .busy, .alreadyBound,
      .notOpen, .lost, .settingRefused, .unsupported, .lockFailed, .queueFull, .penTaken,
      .unreachable, .refusedByServer, .otherProtocol, .system:
      throw .port(error)
    }
    try wait(at: endpoint)
  }

  // MARK: Reconnecting

  /// Whether the session ends when it may not open its device: it was never open, and the user did
  /// not ask it to wait.
  var endsWhenRefused: Bool {
    isOpeningLate && !waitsForAbsentDevice && reconnector?.hasBeenOpen == false
  }

  /// The devices that may be the session's, where only the user can tell.
  var candidates: [Device] { reconnector?.candidates ?? [] }

  /// The user has chosen a candidate. Does nothing if it is gone.
  func choose(_ endpoint: Endpoint) {
    guard let device = candidates.first(where: { .tty($0.node) == endpoint }) else { return }
    reconnector?.choose(device)
  }

  /// Starts to reconnect the session whenever it loses its far end.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  func startReconnecting() throws(Errno) {
    reconnector?.needsDevice = needsDevice
    reconnector?.waitsForPort = waitsForAbsentDevice
    try reconnector?.start()
  }
}

/// The owner of a binder, which is asked before a device is opened for the first time.
protocol TargetBinderDelegate: AnyObject {
  /// A link that reports its result later could not be opened.
  func binder(_ binder: TargetBinder, didFailWith error: BindingError)

  /// There is news, or a question for the user, while the session is reconnected.
  func binder(_ binder: TargetBinder, didReport report: Reconnector.Report)

  /// Whether to open an endpoint; see
  /// ``Reconnector/init(_:to:on:attemptInterval:onReport:mayOpen:)``.
  func binder(_ binder: TargetBinder, mayOpen endpoint: Endpoint, _ device: Device?) -> Bool
}

extension FilePath {
  /// Whether the node was created, or its permissions changed, so recently that udev may not have
  /// finished. Opening, reading and writing a node do not change its ctime.
  fileprivate var isNew: Bool {
    guard let node = try? stat() else { return false }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // Wraps: a file system may report any time.
    let age = Duration.seconds(now.tv_sec &- node.st_ctim.tv_sec)
    return age >= .zero && age <= ReturnPatience.permissions
  }
}

/// Why a session could not be bound to its target.
package enum BindingError: Error, Hashable {
  /// No target was given, and there is no user to ask.
  case noTarget
  /// No present device matches the query.
  case none(DeviceQuery, among: [Device])
  /// Several devices match the query, and there is no user to ask.
  case several(DeviceQuery, [Device])
  /// The port could not be opened.
  case port(SerialError)
  /// The devices could not be listed, or the far end could not be prepared.
  case system(Errno)
}
