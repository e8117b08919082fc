import CUdev
import Glibc
import SystemPackage

// The objects of libudev, each with one owner. The corresponding C functions are those of
// libudev(3). No C pointer leaves this file. Two threads must not use them at the same time.

/// The library itself: `struct udev`.
struct UdevContext: ~Copyable {
  fileprivate let pointer: OpaquePointer

  /// The corresponding C function is `udev_new`.
  init() throws(Errno) {
    guard let pointer = udev_new() else { throw Errno(rawValue: errno) }
    self.pointer = pointer
  }

  deinit { udev_unref(pointer) }

  /// Finds the device with a name; nil if it is gone.
  ///
  /// The corresponding C function is `udev_device_new_from_subsystem_sysname`.
  borrowing func device(named name: String, inSubsystem subsystem: String) -> UdevDevice? {
    guard let device = udev_device_new_from_subsystem_sysname(pointer, subsystem, name) else {
      return nil
    }
    return UdevDevice(owning: device)
  }
}

/// A socket with the events of the kernel or of udevd: `struct udev_monitor`.
struct UdevMonitor: ~Copyable {
  private let pointer: OpaquePointer

  /// Creates a socket, non-blocking and close-on-exec, that does not listen yet.
  ///
  /// - Parameter group: `kernel` or `udev`: the sender.
  init(_ context: borrowing UdevContext, group: String) throws(Errno) {
    guard let pointer = udev_monitor_new_from_netlink(context.pointer, group) else {
      throw Errno(rawValue: errno)
    }
    self.pointer = pointer
  }

  /// Starts listening.
  ///
  /// - Parameters:
  ///   - subsystem: the subsystem of the devices.
  ///   - receiveBufferSize: bytes; the kernel doubles it, and may grant less to
  ///     an unprivileged user.
  borrowing func listen(to subsystem: String, receiveBufferSize: Int) throws(Errno) {
    try check(udev_monitor_filter_add_match_subsystem_devtype(pointer, subsystem, nil))
    // Without privileges the size is limited (net.core.rmem_max), which is sufficient.
    _ = udev_monitor_set_receive_buffer_size(pointer, CInt(clamping: receiveBufferSize))
    try check(udev_monitor_enable_receiving(pointer))
  }

  deinit { udev_monitor_unref(pointer) }

  /// The socket, borrowed.
  var descriptor: FileDescriptor { FileDescriptor(rawValue: udev_monitor_get_fd(pointer)) }

  /// Reads the next event.
  ///
  /// - Returns: nil if there is none, or if the next message was filtered out.
  /// - Throws: `ENOBUFS` if events were lost; other errors of recvmsg(2).
  borrowing func receive() throws(Errno) -> UdevDevice? {
    if let device = udev_monitor_receive_device(pointer) { return UdevDevice(owning: device) }
    let error = Errno(rawValue: errno)
    if error == .wouldBlock { return nil }
    throw error
  }
}

/// A device in udev: `struct udev_device`.
struct UdevDevice: ~Copyable {
  private let pointer: OpaquePointer

  fileprivate init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { udev_device_unref(pointer) }

  /// Its folder in sysfs.
  var syspath: String { text(udev_device_get_syspath(pointer)) ?? "" }
  /// Its device node, if it has one.
  var node: FilePath? { text(udev_device_get_devnode(pointer)).map { FilePath($0) } }
  /// The action, if it is from a monitor.
  var action: String? { text(udev_device_get_action(pointer)) }
  /// Links to its node.
  var links: [FilePath] {
    names(in: udev_device_get_devlinks_list_entry(pointer)).map { FilePath($0) }
  }

  /// The properties in udev, or in the event of the kernel.
  func property(_ key: String) -> String? {
    text(udev_device_get_property_value(pointer, key))
  }

  /// The device itself.
  var sysfsNode: SysfsNode { SysfsNode(reading: pointer) }

  /// Its parent devices, nearest first.
  var ancestors: [SysfsNode] {
    var ancestors: [SysfsNode] = []
    // The child owns its parent, which must not be released.
    var parent = udev_device_get_parent(pointer)
    while let device = parent {
      ancestors.append(SysfsNode(reading: device))
      parent = udev_device_get_parent(device)
    }
    return ancestors
  }
}

extension SysfsNode {
  fileprivate init(reading device: OpaquePointer) {
    self.init(
      syspath: text(udev_device_get_syspath(device)) ?? "",
      subsystem: text(udev_device_get_subsystem(device)),
      type: text(udev_device_get_devtype(device)),
      driver: text(udev_device_get_driver(device)))
    for name in Self.attributeNames(subsystem: subsystem, type: type) {
      attributes[name] = text(udev_device_get_sysattr_value(device, name))
    }
  }
}

/// Copies a text; nil if it is empty.
private func text(_ pointer: UnsafePointer<CChar>?) -> String? {
  guard let pointer, pointer.pointee != 0 else { return nil }
  return String(cString: pointer)
}

private func names(in list: OpaquePointer?) -> [String] {
  var names: [String] = []
  var entry = list
  while let current = entry {
    if let name = text(udev_list_entry_get_name(current)) { names.append(name) }
    entry = udev_list_entry_get_next(current)
  }
  return names
}

/// Throws the error of libudev, which returns 0 or more, or a negative errno.
private func check(_ result: CInt) throws(Errno) {
  if result < 0 { throw Errno(rawValue: -result) }
}
