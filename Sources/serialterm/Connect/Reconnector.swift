import DeviceWatch
import EventLoop
import Posix
import SerialCore
import SessionKit
import SystemPackage

/// Reconnects a session to its device when the device is back, wherever it is plugged in.
///
/// A device that udev knows is recognised by its identity, whatever its node is; anything else, such as a
/// pseudo-terminal behind a link, by its path. Presence is never polled.
final class Reconnector: SessionObserver, DeviceObserver {
  /// Called before the session's device is opened for the first time, with its path, and with the device
  /// if udev knows it. Returns whether to open it.
  var onArrival: ((FilePath, Device?) -> Bool)?
  /// Called with news and questions for the user.
  var onReport: (Report) -> Void = { _ in }
  /// The devices that may be the session's, if only the user can tell.
  private(set) var candidates: [Device] = []
  /// Whether the session has been open.
  private(set) var hasBeenOpen = false
  /// The endpoint of a node.
  var endpoint: (FilePath) -> Endpoint = Endpoint.tty
  /// Whether the user asked to wait for a port that cannot be opened now.
  var waitsForPort = false

  private let session: Session
  private let loop: IOLoop
  private var devices: DeviceCatalog?
  private var binding: Binding
  private var search = ReturnSearch()
  private var patience = ReturnPatience()
  private var awaited: AwaitedPath?
  private var retry: LoopTimer?
  /// Reports that a program closes the port that another program holds.
  private var uses: OpeningWatcher?
  private var usedPath: FilePath?
  private var useWatch: DescriptorWatch?
  /// Until when udev may report a node that exists.
  private var udevLimit: MonotonicTime?

  /// Creates a reconnector. It does nothing before ``start(watching:)``.
  init(_ session: Session, to binding: Binding, on loop: IOLoop) {
    self.session = session
    self.binding = binding
    self.loop = loop
  }

  /// Looks for the session's device, now and after each event.
  ///
  /// - Parameter devices: the devices of the machine; nil if they do not matter. Where udev is not
  ///   available, as in some sandboxes, a path is still found again.
  /// - Throws: the errors of epoll_ctl(2).
  func start(watching devices: DeviceCatalog?) throws(Errno) {
    startPatience()
    session.addObserver(self)
    if let devices, (try? devices.current()) != nil {
      self.devices = devices
      try devices.addObserver(self, on: loop)
    }
    recognise()
    look()
  }

  /// The user has chosen a candidate.
  func choose(_ device: Device) {
    binding = .identity(IdentityMatcher(for: device, among: present))
    search = ReturnSearch()
    look()
  }

  private var present: [Device] { devices?.devices ?? [] }

  /// Stores the identity of the device that the session has open, and the devices that look like it.
  private func recognise() {
    guard case .open(let endpoint, _) = session.state else { return }
    hasBeenOpen = true
    let device = endpoint.path.flatMap { DeviceSelector.node($0).matches(among: present).first }
    switch (binding, device) {
    // The user wants whatever is plugged in there.
    case (.selector(.port), _): break
    case (.identity(var matcher), let device?):
      matcher.follow(device, among: present)
      binding = .identity(matcher)
    case (.path, let device?), (.selector, let device?), (.next, let device?):
      binding = .identity(IdentityMatcher(for: device, among: present))
    case (.path(var path), nil):
      path.look()
      binding = .path(path)
    case (.identity, nil), (.selector, nil), (.next, nil): break
    }
  }

  // MARK: Events

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch new {
    case .open:
      stopLooking()
      // A change of settings does not change the device.
      if !old.isOpen { recognise() }
    case .waitingForDevice(_, .absent), .waitingForDevice(_, .lost),
      .waitingForDevice(_, .released):
      if old.isOpen { search = ReturnSearch(besides: strangers) }
      startPatience()
      look()
      missIfReleased()
    case .waitingForDevice(_, .failed(let error)):
      tryAgain(after: error)
    case .released:
      stopLooking()
      if old.isOpen { search = ReturnSearch(besides: strangers) }
    case .closed: stopLooking()
    case .opening: break
    }
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    lookForTwins()
    look()
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    switch session.state {
    case .open(let endpoint, _), .opening(let endpoint, _):
      if let path = endpoint.path, isSessionDevice(device, at: path) {
        session.deviceDidDisappear()
      }
    case .waitingForDevice(let endpoint, .failed) where endpoint.path == device.node:
      // If it appears again, another wait begins.
      startPatience()
      if !candidates.isEmpty { look() }
    case .waitingForDevice, .released, .closed:
      if !candidates.isEmpty { look() }
    }
  }

  /// Stores the devices that look like the one that the session has open. The open device's identity is
  /// already known; its path may now lead to another device, because udev gives a link that two adapters
  /// claim to the later one.
  private func lookForTwins() {
    guard session.state.isOpen, case .identity(var matcher) = binding else { return recognise() }
    matcher.learn(from: present)
    binding = .identity(matcher)
  }

  /// Whether the session has this device open.
  private func isSessionDevice(_ device: Device, at path: FilePath) -> Bool {
    guard case .identity(let matcher) = binding else {
      return DeviceSelector.node(path).matches(among: [device]) == [device]
    }
    return matcher.device.node == device.node
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) { look() }

  /// The present devices except the session's.
  private var strangers: [Device] {
    guard case .identity(let matcher) = binding else { return present }
    return present.filter { $0.syspath != matcher.device.syspath }
  }

  private func take(_ news: AwaitedPath.News) {
    if case .appeared = news { startPatience() }
    // The file that could not be opened is still the same; only its permissions have changed.
    if case .waitingForDevice(_, .failed(let error)) = session.state,
      error.code == .permissionDenied, case .path(var path) = binding, case .accessChanged = news
    {
      path.look()
      binding = .path(path)
    }
    look()
  }

  // MARK: Actions

  /// Opens the device if it is present. While the port is released, only stores where it is.
  private func look() {
    switch session.state {
    case .waitingForDevice, .released: break
    case .closed, .opening, .open: return
    }
    switch binding {
    case .identity(let matcher): take(search.find(matcher, among: present))
    case .selector(let selector): take(search.find(selector, among: present))
    case .next(let others): lookForNext(besides: others)
    case .path(let binding): lookAt(binding)
    }
  }

  private func lookForNext(besides others: Set<UInt64>) {
    let next = present.first { device in
      device.hasHardware && device.incarnation.map { !others.contains($0) } ?? false
    }
    guard let next else { return }
    let matcher = IdentityMatcher(for: next, among: present)
    binding = .identity(matcher)
    take(search.find(matcher, among: present))
  }

  private func take(_ finding: ReturnSearch.Finding) {
    switch finding {
    case .nothing: offer([], .settled)
    case .device(let device):
      offer([], .settled)
      open(device.node, device)
    case .lookAlikes(let devices): offer(devices, .lookAlikes(devices))
    case .several(let devices): offer(devices, .several(devices))
    }
  }

  private func offer(_ devices: [Device], _ report: Report) {
    // While the port is released to another program, the user is not asked about it.
    guard devices != candidates, !session.state.isReleased else { return }
    candidates = devices
    onReport(report)
  }

  private func lookAt(_ binding: PathBinding) {
    guard !session.state.isReleased else { return }
    watch(binding.path)
    guard awaited?.isPresent == true, binding.mayBeTheDevice else { return }
    let device = DeviceSelector.node(binding.path).matches(among: present).first
    if device == nil && isUdevAwaited(for: binding.path) { return }
    open(binding.path, device)
  }

  /// Opens the device; the first time only if ``onArrival`` agrees.
  private func open(_ node: FilePath, _ device: Device?) {
    guard hasBeenOpen || onArrival?(node, device) ?? true else { return }
    session.deviceDidReturn(at: endpoint(node))
  }

  /// Whether to wait until udev reports the device at a path, if ``onArrival`` needs it. The kernel creates
  /// the node of an adapter before udev knows of it. The wait has a limit.
  private func isUdevAwaited(for path: FilePath) -> Bool {
    guard onArrival != nil, !hasBeenOpen, devices != nil, path.hasHardware else { return false }
    let now = MonotonicTime.now
    let limit = udevLimit ?? now + ReturnPatience.permissions
    udevLimit = limit
    guard now < limit else { return false }
    retry = loop.schedule(after: limit - now) { [unowned self] in look() }
    return true
  }

  /// A session that does not wait for lost devices does not wait for one that was lost while it was
  /// released.
  private func missIfReleased() {
    guard case .waitingForDevice(_, .released) = session.state else { return }
    session.deviceIsMissing()
  }

  private func watch(_ path: FilePath) {
    guard awaited?.path != path else { return }
    do throws(Errno) {
      awaited = try AwaitedPath(path, on: loop) { [unowned self] in take($0) }
    } catch {
      awaited = nil
      // Descriptors and watches that ran out may be available later; no event reports that.
      if case .path = binding {
        tryAgain(after: SerialError(.system, in: "inotify", at: endpoint(path), errno: error))
      }
    }
  }

  private func stopLooking() {
    retry = nil
    awaited = nil
    stopWatchingUses()
    startPatience()
    if !candidates.isEmpty {
      candidates = []
      onReport(.settled)
    }
  }

  /// Starts to watch the uses of a port that another program holds. Without inotify, attempts are made
  /// more often.
  ///
  /// - Returns: whether this was not watched before.
  private func watchUses(of path: FilePath) -> Bool {
    guard usedPath != path else { return false }
    stopWatchingUses()
    usedPath = path
    guard let watcher = try? OpeningWatcher(path) else { return false }
    useWatch = try? loop.watch(watcher.descriptor, for: .reading) { [unowned self] _ in
      guard uses?.readEvents() == true else { return }
      patience.portWasUsed(at: .now)
      look()
    }
    if useWatch != nil { uses = watcher }
    return uses != nil
  }

  private func stopWatchingUses() {
    // The watch may be calling.
    let ended = (useWatch, uses)
    loop.atEndOfTurn { withExtendedLifetime(ended) {} }
    (useWatch, uses, usedPath) = (nil, nil, nil)
  }

  private func startPatience() {
    patience = ReturnPatience(wasAskedFor: waitsForPort && !hasBeenOpen)
  }

  private func tryAgain(after error: SerialError) {
    let path = error.endpoint.path
    if let path, error.code == .permissionDenied && awaited?.path != path {
      watch(path)
      // They may have been changed before they were watched.
      if awaited != nil { return retry = loop.schedule(after: .zero) { [unowned self] in look() } }
    }
    if let path, error.code == .busy {
      // The holder may have closed it before it was watched.
      if watchUses(of: path) {
        return retry = loop.schedule(after: .zero) { [unowned self] in look() }
      }
      // The attempt has caused events itself.
      _ = uses?.readEvents()
    } else {
      stopWatchingUses()
    }
    let advice = patience.failed(
      with: error, at: .now, isWatched: path != nil && awaited?.path == path,
      isUseWatched: uses != nil)
    retry = advice.retry.map { loop.schedule(after: $0) { [unowned self] in look() } }
    switch advice.report {
    case .held: onReport(.held(error))
    case .refused: onReport(.refused(error))
    case nil: break
    }
  }
}
