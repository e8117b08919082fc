import SystemPackage

/// The raw data of the kernel and of udev about a port.
struct PortRecord {
  /// The port itself, a device of the class `tty`.
  var port: SysfsNode
  /// Its device node.
  var node: FilePath
  /// Its parent devices, nearest first, up to the root.
  var ancestors: [SysfsNode] = []
  /// The properties in udev: those of ``udevProperties`` that are set.
  var properties: [String: String] = [:]
  /// The symbolic links that udev created.
  var links: [FilePath] = []
  /// See ``Device/creationNumber``.
  var creationNumber: UInt64?

  /// The properties of udev that are used here; see udev(7) and its usb_id and path_id builtins.
  static let udevProperties = [
    "ID_BUS", "ID_PATH", "ID_USB_DRIVER", "ID_USB_INTERFACE_NUM", "ID_VENDOR_ID", "ID_MODEL_ID",
    "ID_SERIAL_SHORT", "ID_VENDOR", "ID_VENDOR_ENC", "ID_MODEL", "ID_MODEL_ENC",
  ]
}

/// The data of a device in sysfs that are used here.
struct SysfsNode {
  /// Its folder, for example `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1`.
  var syspath: String
  /// Its bus or class.
  var subsystem: String?
  /// Its type on the bus, for example `usb_device`.
  var type: String?
  /// The driver that it is bound to.
  var driver: String?
  /// The values of its files: those of ``attributeNames`` that exist.
  var attributes: [String: String] = [:]

  /// Its name in its folder.
  var name: String { syspath.split(separator: "/").last.map(String.init) ?? "" }

  /// The files to read for a type of device.
  ///
  /// Only these are read, because reading a file of sysfs calls the driver, and some drivers
  /// query the device.
  static func attributeNames(subsystem: String?, type: String?) -> [String] {
    switch (subsystem, type) {
    case ("tty", _): ["type"]
    case ("usb-serial", _): ["port_number"]
    case ("pci", _): ["removable"]
    case ("usb", "usb_interface"): ["bInterfaceNumber"]
    case ("usb", "usb_device"): ["idVendor", "idProduct", "serial", "manufacturer", "product"]
    default: []
    }
  }
}
