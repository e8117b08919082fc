package import DeviceWatch
package import EventLoop
package import Observing
package import SerialCore
package import SystemPackage

/// The presence of a terminal device of this computer.
///
/// A device that udev knows is recognised by its identity, at any node. Any other device, such as a
/// pseudo-terminal behind a link, is recognised by its path. Nothing is polled where udev runs;
/// elsewhere, the devices are enumerated every second while one is awaited.
package final class DevicePresence: Presence, DeviceObserver {
  package let events = Observable<PresenceEvent>()

  private let devices: DeviceCatalog?
  private let loop: IOLoop
  private let endpoint: (FilePath) -> Endpoint
  private var binding: DeviceBinding
  private var search = ReturnSearch()
  /// Whether udev is available, and may know the device.
  private var knowsDevices = false
  /// The path at which the session has the device open.
  private var openPath: FilePath?
  /// The path at which the device was last found.
  private var foundPath: FilePath?
  private var wait = Wait()

  /// What watches for the device until ``endWait()``.
  private struct Wait {
    /// The reason why the last attempt failed.
    var failure: SerialError.Code?
    var awaited: AwaitedPath?
    var uses: PortOpeningWatch?
    var scan: DeviceCatalog.Scan?
  }

  /// Creates a presence that has not started.
  ///
  /// - Parameters:
  ///   - binding: how to recognise the device at first.
  ///   - devices: the serial ports of this computer; nil if udev cannot know the device. Where udev
  ///     is not available, as in some sandboxes, a path is still watched.
  ///   - endpoint: returns the endpoint at a path.
  package init(
    of binding: DeviceBinding, among devices: DeviceCatalog?, on loop: IOLoop,
    endpoint: @escaping (FilePath) -> Endpoint = Endpoint.tty
  ) {
    self.binding = binding
    self.devices = devices
    self.loop = loop
    self.endpoint = endpoint
  }

  package func start() throws(Errno) {
    guard let devices, (try? devices.current()) != nil else { return }
    knowsDevices = true
    devices.addClaimant(self)
    try devices.addObserver(self, on: loop)
  }

  /// Whether the device is certainly its own. The device may be present, or have just returned.
  func claims(_ device: Device) -> Bool {
    openPath.map { binding.isDevice(device, at: $0) } ?? binding.claims(device)
  }

  private func isTaken(_ device: Device) -> Bool {
    devices?.isClaimed(device, besidesBy: self) ?? false
  }

  private var present: [Device] { knowsDevices ? devices?.devices ?? [] : [] }

  // MARK: The session

  package func didOpen(at endpoint: Endpoint) {
    guard let path = endpoint.path else { return }
    (openPath, foundPath) = (path, path)
    binding.recognise(at: path, among: present)
  }

  package func didLeave() {
    openPath = nil
    search = ReturnSearch(besides: binding.strangers(among: present))
  }

  package func choose(_ device: Device) {
    binding = .identity(IdentityMatcher(for: device, among: present))
    search = ReturnSearch()
  }

  // MARK: Finding the device

  package func find(whileReleased isReleased: Bool) -> PresenceFinding {
    if let next = binding.next(among: present, unless: isTaken) {
      binding = .identity(IdentityMatcher(for: next, among: present))
    }
    if case .path = binding {
    } else if knowsDevices && !isReleased {
      wait.scan = wait.scan ?? devices?.keepScanning(by: Scheduler(loop))
    }
    switch binding {
    case .identity(let matcher): return place(search.find(matcher, among: present))
    case .selector(let selector): return place(search.find(selector, among: present))
    case .next: return .absent
    case .path(let binding): return isReleased ? .absent : find(at: binding)
    }
  }

  private func place(_ finding: ReturnSearch.Finding) -> PresenceFinding {
    switch finding {
    case .nothing: return .absent
    case .device(let device):
      foundPath = device.node
      return .present(endpoint(device.node), device)
    case .lookAlikes(let devices):
      let others = devices.filter { !isTaken($0) }
      return others.isEmpty ? .absent : .lookAlikes(others)
    case .several(let devices): return .several(devices)
    }
  }

  private func find(at binding: PathBinding) -> PresenceFinding {
    let path = binding.path
    do throws(Errno) {
      try watch(path)
    } catch {
      return .failed(SerialError(.system, in: "inotify", at: endpoint(path), errno: error))
    }
    guard wait.awaited?.isPresent == true, binding.mayBeTheDevice else { return .absent }
    foundPath = path
    let device = DeviceSelector.node(path).matches(among: present).first
    // The kernel creates the node of an adapter before udev reports it.
    if device == nil && knowsDevices && path.hasHardware { return .unidentified(endpoint(path)) }
    return .present(endpoint(path), device)
  }

  // MARK: Watching

  private func watch(_ path: FilePath) throws(Errno) {
    guard wait.awaited?.path != path else { return }
    wait.awaited = nil
    wait.awaited = try AwaitedPath(path, on: loop) { [unowned self] in pathDidChange($0) }
  }

  private func pathDidChange(_ news: AwaitedPath.News) {
    switch news {
    case .appeared: events.notify(.appeared)
    case .accessChanged:
      // The file that could not be opened is the same; only its permissions have changed.
      if wait.failure == .permissionDenied, case .path(var path) = binding {
        path.look()
        binding = .path(path)
      }
      events.notify(.changed)
    }
  }

  package func didFail(with error: SerialError) -> FailureWatch {
    wait.failure = error.code
    let path = error.endpoint.path
    if let path, error.code == .permissionDenied && wait.awaited?.path != path {
      // If inotify is not available, attempts are made more often instead.
      _ = try? watch(path)
      if wait.awaited != nil { return FailureWatch(isNew: true) }
    }
    if let path, error.code == .busy {
      guard wait.uses?.path == path else {
        wait.uses = PortOpeningWatch(of: path, on: loop) { [unowned self] in events.notify(.used) }
        return FailureWatch(isNew: wait.uses?.isWatching == true)
      }
      // The attempt itself has caused events.
      wait.uses?.skipEvents()
    } else {
      wait.uses = nil
    }
    return FailureWatch(
      reportsAccess: path != nil && wait.awaited?.path == path,
      reportsUse: wait.uses?.isWatching == true)
  }

  package func endWait() { wait = Wait() }

  // MARK: Events of devices

  package func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    if let openPath { binding.lookForTwins(at: openPath, among: present) }
    events.notify(.changed)
  }

  package func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    let isFarEnd = openPath.map { binding.isDevice(device, at: $0) } ?? (foundPath == device.node)
    events.notify(.removed(isFarEnd: isFarEnd))
  }

  package func deviceWatcher(
    _ watcher: DeviceWatcher, didChange old: Device, to new: Device
  ) { events.notify(.changed) }
}
