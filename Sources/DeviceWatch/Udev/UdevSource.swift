import Glibc
import Posix
public import SystemPackage

/// A source of serial ports that uses libudev, with and without a running udevd.
///
/// Its monitor listens before the enumeration: see ``DeviceSource``.
public final class UdevSource: DeviceSource {
  /// The sender of events.
  public enum Group: String, Hashable, Sendable {
    /// udevd, after it has created the links and set the permissions.
    case udev
    /// The kernel, immediately. It is the only sender if udevd does not run, as in containers. It
    /// reports nothing to a network namespace that belongs to another user namespace, as those of
    /// rootless containers do: see uevent_net_broadcast_untagged() in the kernel's
    /// lib/kobject_uevent.c.
    case kernel

    /// udevd if it runs, and its events come here; otherwise the kernel.
    ///
    /// Like libudev, this checks for udevd's control socket: listening to a group without a sender
    /// causes no error. A container may have the host's /run/udev, but a network namespace of its
    /// own, which udevd does not send to.
    public static var automatic: Group { automatic(below: "/") }

    /// - Parameter root: the root directory; tests use another one.
    static func automatic(below root: FilePath) -> Group {
      let control = root.appending("run/udev/control")
      guard access(control.string, F_OK) == 0 else { return .kernel }
      // The sockets of this network namespace; see proc_pid_net(5).
      guard let sockets = try? root.appending("proc/net/unix").contents() else { return .udev }
      let end = " /run/udev/control".utf8
      let isHere = sockets.split(separator: UInt8(ascii: "\n"))
        .contains { $0.suffix(end.count).elementsEqual(end) }
      return isHere ? .udev : .kernel
    }
  }

  /// Room for about a thousand events, in bytes. A hub with 32 ports causes about 300 at once.
  public static let defaultReceiveBufferSize = 1 << 20
  /// The number of events that are processed in one turn, so that many events do not
  /// block the loop.
  static let defaultBatchSize = 256

  /// See ``DeviceSource/reportsEveryChange``: with udevd.
  public let reportsEveryChange: Bool

  private let context: UdevContext
  private let monitor: UdevMonitor
  private let isIncluded: (String) -> Bool
  private let batchSize: Int
  private var hasLostEvents = false

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - group: the sender.
  ///   - receiveBufferSize: the size of the queue in bytes; the kernel doubles it, and limits it to
  ///     `net.core.rmem_max` for unprivileged users.
  /// - Throws: the errors of socket(2) and bind(2): `EMFILE`, `ENOMEM`, `EAFNOSUPPORT`, or `EPERM`
  ///   if a sandbox forbids netlink.
  public convenience init(
    group: Group = .automatic, receiveBufferSize: Int = UdevSource.defaultReceiveBufferSize
  ) throws(Errno) {
    try self.init(
      group: group, receiveBufferSize: receiveBufferSize, including: TTYName.isPort)
  }

  /// Creates a source for the devices of the class `tty` whose names are included.
  init(
    group: Group, receiveBufferSize: Int, batchSize: Int = UdevSource.defaultBatchSize,
    including isIncluded: @escaping (String) -> Bool
  ) throws(Errno) {
    self.isIncluded = isIncluded
    self.batchSize = batchSize
    reportsEveryChange = group == .udev
    context = try UdevContext()
    monitor = try UdevMonitor(context, group: group.rawValue)
    try monitor.listen(to: "tty", receiveBufferSize: receiveBufferSize)
  }

  /// See ``DeviceSource/descriptor``.
  public var descriptor: FileDescriptor { monitor.descriptor }

  /// See ``DeviceSource/enumerate()``.
  ///
  /// Reads the directory of the class directly: `udev_enumerate` would examine all virtual
  /// consoles, which takes ten times as long as the rest.
  public func enumerate() throws(Errno) -> [Device] {
    try Self.ttyNames().filter(isIncluded).compactMap { name in
      guard let device = context.device(named: name, inSubsystem: "tty") else { return nil }
      // Without a number the device is already gone, and an event reports that.
      return Device(device).flatMap { $0.creationNumber == nil ? nil : $0 }
    }
  }

  /// The corresponding C function is `readdir`.
  ///
  /// - Throws: the errors of opendir(3) and readdir(3), because devices that are missing from the
  ///   list would count as gone. Without sysfs there are no devices.
  private static func ttyNames() throws(Errno) -> [String] {
    guard let folder = opendir("/sys/class/tty") else {
      let error = Errno(rawValue: errno)
      if error == .noSuchFileOrDirectory { return [] }
      throw error
    }
    defer { closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
      errno = 0
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return names
  }

  /// See ``DeviceSource/readEvents()``.
  public func readEvents() -> [DeviceSourceEvent] {
    var events: [DeviceSourceEvent] = []
    for _ in 0..<batchSize {
      do throws(Errno) {
        if let device = try monitor.receive() {
          if let event = event(of: device) { events.append(event) }
        } else if !isReadable {
          break
        }
      } catch {
        // Usually ENOBUFS. With any other error, too, an event may have been lost.
        if error != .interrupted { hasLostEvents = true }
      }
    }
    // Not earlier: the kernel drops events without another error until all queued ones were read.
    // See netlink(7), and netlink_overrun() in af_netlink.c. Not later: events that were read do
    // not wake the loop again.
    if hasLostEvents && !isReadable {
      events.append(.overrun)
      hasLostEvents = false
    }
    return events
  }

  private func event(of device: borrowing UdevDevice) -> DeviceSourceEvent? {
    let syspath = device.syspath
    guard isIncluded(Self.name(syspath)) else { return nil }
    let action = UdevAction(device.action)
    if action == .remove { return .removed(syspath: syspath) }
    guard let values = Device(device) else { return nil }
    switch action {
    case .add: return .added(values)
    case .move:
      if let oldPath = device.property("DEVPATH_OLD") {
        return .moved(values, from: "/sys\(oldPath)")
      }
      hasLostEvents = true
      return nil
    // If the device is already gone, the next event reports that.
    case .change, .remove: return values.creationNumber == nil ? nil : .changed(values)
    }
  }

  /// Whether an event is queued. libudev also returns `EAGAIN` after an event that it discards.
  private var isReadable: Bool {
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }

  private static func name(_ syspath: String) -> String {
    syspath.split(separator: "/").last.map(String.init) ?? ""
  }
}

@available(*, unavailable)
extension UdevSource: Sendable {}

extension Device {
  /// Copies a device from udev; nil if it has no node and therefore is not a port.
  fileprivate init?(_ device: borrowing UdevDevice) {
    guard let node = device.node else { return nil }
    let syspath = device.syspath
    var properties: [String: String] = [:]
    for key in PortRecord.udevProperties { properties[key] = device.property(key) }
    self.init(
      PortRecord(
        port: device.sysfsNode, node: node, ancestors: device.ancestors, properties: properties,
        links: device.links, creationNumber: Self.creationNumber(ofSyspath: syspath)))
  }

  /// The inode number of a directory in sysfs grows and is never reused: see __kernfs_new_node() in
  /// the kernel's fs/kernfs/dir.c.
  private static func creationNumber(ofSyspath syspath: String) -> UInt64? {
    guard let folder = try? FilePath(syspath).stat() else { return nil }
    return UInt64(folder.inode.rawValue)
  }
}

/// The meaning of an event of udev or the kernel.
///
/// The kernel's actions are listed in `kobject_actions` of lib/kobject_uevent.c.
enum UdevAction: Hashable {
  case add, remove, change, move

  /// Parses an action. Binding and unbinding a driver, taking a device offline and online, and
  /// unknown actions of future kernels are changes: the device is present before and after.
  init(_ action: String?) {
    switch action {
    case "add": self = .add
    case "remove": self = .remove
    case "move": self = .move
    default: self = .change
    }
  }
}
