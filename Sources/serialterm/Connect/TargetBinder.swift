import DeviceWatch
import EventLoop
import SerialCore
import SystemPackage

/// Binds a session to what the user named, and keeps what that needs for as long as it lasts.
final class TargetBinder {
  private let session: Session
  private let loop: EventLoop
  private let waitsForAbsentDevice: Bool
  private var devices: DeviceWatcher?
  private var simulation: SimulatedPort?
  private var reconnector: Reconnector?

  init(_ session: Session, on loop: EventLoop, waitsForAbsentDevice: Bool) {
    self.session = session
    self.loop = loop
    self.waitsForAbsentDevice = waitsForAbsentDevice
  }

  /// Finds the device, and opens it or waits for it.
  ///
  /// - Parameter target: nil for the one device that there is.
  /// - Throws: ``Failure``, and what the device source says.
  func bind(to target: Target?) throws {
    switch target {
    case .loopback(let kind):
      let port = try SimulatedPort(kind, on: loop)
      simulation = port
      try open(port.path)
    case .node(let path):
      reconnector = Reconnector(session, to: .path(PathBinding(path)), on: loop)
      try open(path)
    case .device(let selector):
      try bind(to: selector)
    case nil:
      let present = try startedDevices().devices
      try open(try TargetResolver.onlyDevice(among: present), among: present)
    }
  }

  private func bind(to selector: DeviceSelector) throws {
    let present = try startedDevices().devices
    if let device = try TargetResolver.device(matching: selector, among: present) {
      return try open(device, among: present)
    }
    guard waitsForAbsentDevice else {
      throw Failure(.deviceNotFound, "\(selector): no such device is there; --wait waits for it.")
    }
    reconnector = Reconnector(session, to: .selector(selector), on: loop)
    try session.waitForDevice(at: FilePath("\(selector)"))
  }

  private func open(_ device: Device, among present: [Device]) throws {
    let matcher = IdentityMatcher(for: device, among: present)
    reconnector = Reconnector(session, to: .identity(matcher), on: loop)
    try open(device.node)
  }

  private func open(_ path: FilePath) throws {
    do throws(SerialError) {
      try session.open(path)
    } catch {
      guard error.code == .notFound, waitsForAbsentDevice else { throw Failure(error) }
      try session.waitForDevice(at: path)
    }
  }

  private func startedDevices() throws(Errno) -> DeviceWatcher {
    if let devices { return devices }
    let watcher = DeviceWatcher(source: try UdevSource())
    try watcher.startIfNeeded()
    devices = watcher
    return watcher
  }

  /// From now on brings the session back to its device; a simulation does not go away.
  ///
  /// - Parameter onFailure: hears of a device that came back and cannot be opened.
  /// - Throws: what epoll_ctl(2) says.
  func startReconnecting(onFailure: @escaping (SerialError) -> Void) throws(Errno) {
    reconnector?.onFailure = onFailure
    // Without netlink, as in some sandboxes, a path is still found again.
    try reconnector?.start(watching: try? startedDevices())
  }
}
