import Glibc
import Posix
public import SystemPackage

/// Hears of serial ports through libudev, with and without a running udevd.
///
/// Its monitor listens before anything is enumerated: see ``DeviceSource``.
public final class UdevSource: DeviceSource {
  /// Who tells of devices.
  public enum Group: String, Hashable, Sendable {
    /// udevd, when it is done with a device: the links are there and the permissions are set.
    case udev
    /// The kernel itself, at once. The only one who tells where no udevd runs, as in containers.
    case kernel

    /// udevd where it runs, else the kernel.
    ///
    /// As libudev itself does, this looks for udevd's control socket: to a group in which nobody
    /// speaks one listens in vain, without an error.
    public static var automatic: Group {
      access("/run/udev/control", F_OK) == 0 ? .udev : .kernel
    }
  }

  /// Room for about a thousand events, in bytes. A hub with 32 ports makes some 300 at once.
  public static let defaultReceiveBufferSize = 1 << 20
  /// So many events are handled in a turn, so that a storm of them holds nobody up.
  static let defaultBatchSize = 256

  private let context: UdevContext
  private let monitor: UdevMonitor
  private let isIncluded: (String) -> Bool
  private let batchSize: Int
  private var hasLostEvents = false

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - group: who is to tell.
  ///   - receiveBufferSize: how many bytes of events may wait; the kernel doubles it, and grants an
  ///     unprivileged user no more than `net.core.rmem_max`.
  /// - Throws: what socket(2) and bind(2) say: `EMFILE`, `ENOMEM`, `EAFNOSUPPORT`, or `EPERM` where
  ///   a sandbox forbids netlink.
  public convenience init(
    group: Group = .automatic, receiveBufferSize: Int = UdevSource.defaultReceiveBufferSize
  ) throws(Errno) {
    try self.init(
      group: group, receiveBufferSize: receiveBufferSize, including: TTYName.isPort)
  }

  /// The same for other devices of the class `tty`: those whose names are included.
  init(
    group: Group, receiveBufferSize: Int, batchSize: Int = UdevSource.defaultBatchSize,
    including isIncluded: @escaping (String) -> Bool
  ) throws(Errno) {
    self.isIncluded = isIncluded
    self.batchSize = batchSize
    context = try UdevContext()
    monitor = try UdevMonitor(context, group: group.rawValue)
    try monitor.listen(to: "tty", receiveBufferSize: receiveBufferSize)
  }

  /// See ``DeviceSource/descriptor``.
  public var descriptor: FileDescriptor { monitor.descriptor }

  /// See ``DeviceSource/enumerate()``.
  ///
  /// The folder of the class is read directly: `udev_enumerate` would look at all of the virtual
  /// consoles first, ten times as long as all the rest takes.
  public func enumerate() throws(Errno) -> [Device] {
    try Self.ttyNames().filter(isIncluded).compactMap { name in
      guard let device = context.device(named: name, inSubsystem: "tty") else { return nil }
      // Without an incarnation it went away just now, and an event says so.
      return Device(device).flatMap { $0.incarnation == nil ? nil : $0 }
    }
  }

  /// The corresponding C function is `readdir`.
  ///
  /// - Throws: what opendir(3) and readdir(3) say: a list that is cut short would look as if devices
  ///   were gone. Where there is no sysfs there are no devices.
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
        // ENOBUFS as a rule. Whatever else it was, an event may have been lost.
        if error != .interrupted { hasLostEvents = true }
      }
    }
    // Not before: the kernel drops events, and does not say so again, until all that it kept has
    // been read. See netlink(7), and netlink_overrun() in af_netlink.c. And not later: nothing wakes
    // us again for what has been read.
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
    // A device that is gone already has nothing to tell but that, which comes next.
    case .change, .remove: return values.incarnation == nil ? nil : .changed(values)
    }
  }

  /// Whether anything is waiting. libudev says `EAGAIN` also after an event that it throws away.
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
  /// Copies a device out of udev; nil if it has no node, and is no port therefore.
  fileprivate init?(_ device: borrowing UdevDevice) {
    guard let node = device.node else { return nil }
    let syspath = device.syspath
    var properties: [String: String] = [:]
    for key in PortFacts.udevProperties { properties[key] = device.property(key) }
    self.init(
      PortFacts(
        port: device.sysfsNode, node: node, ancestors: device.ancestors, properties: properties,
        links: device.links, incarnation: Self.incarnation(ofSyspath: syspath)))
  }

  /// The number of a folder in sysfs is never given out twice, and grows: see __kernfs_new_node() in
  /// the kernel's fs/kernfs/dir.c.
  private static func incarnation(ofSyspath syspath: String) -> UInt64? {
    guard let folder = try? FilePath(syspath).stat() else { return nil }
    return UInt64(folder.inode.rawValue)
  }
}
