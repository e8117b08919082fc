import DeviceWatch
import EventLoop
import Glibc
import SerialCore
import SessionKit
import SystemPackage

/// Binds a session to the device that the user named, and owns the objects that this needs.
final class TargetBinder {
  private let session: Session
  private let loop: IOLoop
  private let devices: DeviceCatalog
  /// Whether to wait for a device that is missing or busy.
  var waitsForAbsentDevice = false
  /// See ``Reconnector/onArrival``.
  var onArrival: ((FilePath, Device?) -> Bool)?
  private var simulation: SimulatedPort?
  private var reconnector: Reconnector?
  /// Whether opening was denied just after the node appeared: udev may still set its permissions.
  private var isOpeningLate = false

  init(_ session: Session, among devices: DeviceCatalog, on loop: IOLoop) {
    self.session = session
    self.devices = devices
    self.loop = loop
  }

  /// Finds the device, and opens it or waits for it.
  ///
  /// - Parameters:
  ///   - target: nil for the only device.
  ///   - mayAsk: whether there is a user to choose among several devices.
  /// - Returns: the query that the user has to answer; nil if the session is bound.
  /// - Throws: ``Failure``, and the errors of the device source.
  func bind(to target: Target?, mayAsk: Bool) throws -> DeviceQuery? {
    if target == nil && !mayAsk {
      throw Failure(.usage, "no TARGET was given, and there is no terminal to ask on. See --help.")
    }
    let resolved = try ResolvedTarget(target) { () throws(Errno) in try devices.current() }
    switch resolved {
    case .simulation(let kind):
      let port = try SimulatedPort(kind, on: loop)
      simulation = port
      reconnector = Reconnector(session, to: .path(PathBinding(port.path)), on: loop)
      let name = "loopback:\(kind.rawValue)"
      reconnector?.endpoint = { Endpoint(.loopback, name, at: $0) }
      try open(Endpoint(.loopback, name, at: port.path))
    case .path(let path):
      reconnector = Reconnector(session, to: .path(PathBinding(path)), on: loop)
      try open(.tty(path))
    case .next: try waitForNext(called: "the next device to be plugged in")
    case .device(let device, .fitting(let place)) where place.isPlace:
      reconnector = Reconnector(session, to: .selector(place), on: loop)
      try open(.tty(device.node))
    case .device(let device, _): try open(device, among: try devices.current())
    case .several(_, let query) where mayAsk: return query
    case .several(let devices, let query): throw Failure(several: devices, for: query)
    case .none(.fitting(let selector)) where waitsForAbsentDevice:
      try wait(for: .selector(selector), called: "\(selector)")
    case .none(.latest) where waitsForAbsentDevice:
      try waitForNext(called: "a device to be plugged in")
    case .none(let query):
      if mayAsk && (query == .latest || query == .only) { return query }
      throw Failure(noneFor: query, among: try devices.current())
    }
    return nil
  }

  /// To recognise a new device, the present ones must be known.
  private func waitForNext(called name: String) throws {
    try wait(for: .next(after: try devices.current()), called: name)
  }

  private func wait(for binding: Reconnector.Binding, called name: String) throws {
    reconnector = Reconnector(session, to: binding, on: loop)
    try session.waitForDevice(at: Endpoint(.unresolved, name))
  }

  private func open(_ device: Device, among present: [Device]) throws {
    let matcher = IdentityMatcher(for: device, among: present)
    reconnector = Reconnector(session, to: .identity(matcher), on: loop)
    try open(.tty(device.node))
  }

  private func open(_ endpoint: Endpoint) throws {
    do throws(SerialError) {
      try session.open(endpoint)
    } catch {
      switch error.code {
      case .notFound where waitsForAbsentDevice, .busy where waitsForAbsentDevice: break
      case .permissionDenied where waitsForAbsentDevice || endpoint.path?.isNew == true:
        isOpeningLate = true
      case .notFound, .permissionDenied, .noHardware, .notASerialPort, .busy, .alreadyBound,
        .notOpen, .lost, .settingRefused, .unsupported, .lockFailed, .queueFull, .penTaken, .system:
        throw Failure(error)
      }
      try session.waitForDevice(at: endpoint)
    }
  }

  /// Whether a session that may not open its device ends: it has never been open, and the user did not ask
  /// it to wait.
  var endsWhenRefused: Bool {
    isOpeningLate && !waitsForAbsentDevice && reconnector?.hasBeenOpen == false
  }

  /// The devices that may be the session's, if only the user can tell.
  var candidates: [Device] { reconnector?.candidates ?? [] }

  /// The user has chosen a candidate. Does nothing if it is gone.
  func choose(_ node: FilePath) {
    guard let device = candidates.first(where: { $0.node == node }) else { return }
    reconnector?.choose(device)
  }

  /// Starts to reconnect the session to its device when that is lost.
  ///
  /// - Parameter onReport: called with news and questions for the user.
  /// - Throws: the errors of epoll_ctl(2).
  func startReconnecting(
    onReport: @escaping (Reconnector.Report) -> Void
  ) throws(Errno) {
    reconnector?.onReport = onReport
    reconnector?.onArrival = onArrival
    reconnector?.waitsForPort = waitsForAbsentDevice
    // A simulation is never lost, only reopened after a release.
    try reconnector?.start(watching: simulation == nil ? devices : nil)
  }
}

extension Endpoint.Kind {
  /// A simulation within this process, behind a pseudo-terminal.
  static let loopback = Endpoint.Kind("loopback")
}

extension FilePath {
  /// Whether the node is so new, or its permissions were changed so recently, that udev may not have
  /// finished. Opening, reading and writing a node do not change its ctime.
  fileprivate var isNew: Bool {
    guard let node = try? stat() else { return false }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let age = Duration.seconds(now.tv_sec - node.st_ctim.tv_sec)
    return age >= .zero && age <= ReturnPatience.permissions
  }
}
