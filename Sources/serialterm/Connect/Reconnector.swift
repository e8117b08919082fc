import DeviceWatch
import EventLoop
import Posix
import SerialCore
import SystemPackage

/// Brings a session back to its device: wherever the device is now, when the system says so.
///
/// A device that udev knows is followed by its identity, whatever its node is called; anything else
/// (a pseudo-terminal behind a link) by its path. Nothing is polled.
final class Reconnector: SessionObserver, DeviceObserver, PathObserver {
  /// What the session's device is recognised by.
  enum Binding: Hashable {
    /// What it is, of a device that has been seen.
    case identity(IdentityMatcher)
    /// What the user said of it, before it has been seen.
    case selector(DeviceSelector)
    /// Where it is, of anything that udev does not know.
    case path(PathBinding)
  }

  /// Called when the device came back and could not be opened for longer than is usual.
  var onFailure: (SerialError) -> Void = { _ in }

  private let session: Session
  private let loop: EventLoop
  private var devices: DeviceWatcher?
  private var binding: Binding
  private var deviceWatch: DescriptorWatch?
  private var pathWatcher: PathWatcher?
  private var pathWatch: DescriptorWatch?
  private var retry: Timer?
  private var giveUpAt: MonotonicTime?
  private var hasComplained = false

  /// How long after a device came back its permissions may still be on their way from udev.
  private static let permissionPatience = Duration.seconds(2)
  /// How long another program may probe a port that has just come (ModemManager does).
  private static let busyPatience = Duration.seconds(10)
  private static let retryInterval = Duration.milliseconds(50)
  /// How often it is tried when that was not enough, and the user knows.
  private static let longRetryInterval = Duration.seconds(1)

  /// Creates a reconnector; it only remembers before ``start(watching:)``.
  init(_ session: Session, to binding: Binding, on loop: EventLoop) {
    self.session = session
    self.binding = binding
    self.loop = loop
  }

  /// Looks for the session's device, now and whenever something happens.
  ///
  /// - Parameter devices: a watcher that has started; nil where devices cannot be watched, and only
  ///   paths are.
  /// - Throws: what epoll_ctl(2) says.
  func start(watching devices: DeviceWatcher?) throws(Errno) {
    session.addObserver(self)
    if let devices {
      self.devices = devices
      devices.addObserver(self)
      deviceWatch = try loop.watch(devices.descriptor, for: .reading) { _ in
        devices.handleReadable()
      }
    }
    recognise()
    look()
  }

  private var present: [Device] { devices?.devices ?? [] }

  /// Remembers the device that the session has open, and what else looks like it.
  private func recognise() {
    guard case .open(let node, _) = session.state else { return }
    let device = DeviceSelector.node(node).matches(among: present).first
    if case .identity(var matcher) = binding {
      if let device { matcher.follow(device, among: present) }
      binding = .identity(matcher)
    } else if let device {
      binding = .identity(IdentityMatcher(for: device, among: present))
    } else if case .path(var path) = binding {
      path.look()
      binding = .path(path)
    }
  }

  // MARK: What is heard

  func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {
    switch new {
    case .open:
      stopLooking()
      recognise()
    case .waitingForDevice(_, .absent), .waitingForDevice(_, .lost):
      giveUpAt = nil
      hasComplained = false
      look()
    case .waitingForDevice(let path, .failed(let error)):
      tryAgain(at: path, after: error)
    case .closed: stopLooking()
    case .opening: break
    }
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    recognise()
    look()
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    guard case .open(let path, _) = session.state else { return }
    if DeviceSelector.node(path).matches(among: [device]) == [device] {
      session.deviceDidDisappear()
    }
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) { look() }

  func pathWatcher(_ watcher: PathWatcher, didAppear path: FilePath) { look() }

  func pathWatcher(_ watcher: PathWatcher, accessDidChangeOf path: FilePath) { look() }

  // MARK: What is done

  /// Goes back to the device if it is there.
  private func look() {
    guard case .waitingForDevice = session.state else { return }
    switch binding {
    case .identity(let matcher):
      if case .one(let device) = matcher.match(among: present) {
        session.deviceDidReturn(at: device.node)
      }
    case .selector(let selector):
      let matches = selector.matches(among: present)
      if matches.count == 1 { session.deviceDidReturn(at: matches[0].node) }
    case .path(let binding):
      watchPath(binding.path)
      if pathWatcher?.isPresent == true && binding.mayBeOurs {
        session.deviceDidReturn(at: binding.path)
      }
    }
  }

  private func watchPath(_ path: FilePath) {
    guard pathWatcher == nil else { return }
    do {
      let watcher = try PathWatcher(path)
      watcher.addObserver(self)
      pathWatch = try loop.watch(watcher.descriptor, for: .reading) { [unowned watcher] _ in
        watcher.handleReadable()
      }
      pathWatcher = watcher
    } catch {
      onFailure(SerialError(.system, in: "inotify", at: path, errno: error))
    }
  }

  private func stopLooking() {
    retry = nil
    giveUpAt = nil
    pathWatch = nil
    pathWatcher = nil
  }

  /// A node that has just come is often not ours yet: udev is still setting its permissions, or
  /// another program looks at it first.
  private func tryAgain(at path: FilePath, after error: SerialError) {
    // Gone again: what comes next is an event.
    guard error.code != .notFound else { return }
    let patience =
      switch error.code {
      case .busy: Self.busyPatience
      case .permissionDenied: Self.permissionPatience
      default: Duration.zero
      }
    let deadline = giveUpAt ?? .now + patience
    giveUpAt = deadline
    let isOverdue = MonotonicTime.now >= deadline
    if isOverdue && !hasComplained {
      hasComplained = true
      onFailure(error)
    }
    // No event tells that a holder let go, or that somebody changed a node's permissions.
    let interval = isOverdue ? Self.longRetryInterval : Self.retryInterval
    retry = loop.schedule(after: interval) { [unowned self] in look() }
  }
}
