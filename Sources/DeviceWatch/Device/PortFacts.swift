import SystemPackage

/// What the kernel and udev say about a port, copied out before anything is made of it.
struct PortFacts {
  /// The port itself, a device of the class `tty`.
  var port: SysfsNode
  /// Its device node.
  var node: FilePath
  /// What it hangs on, the nearest first, up to the root of the machine.
  var ancestors: [SysfsNode] = []
  /// What udev knows of it: those of ``udevProperties`` that are set.
  var properties: [String: String] = [:]
  /// Symbolic links that udev made.
  var links: [FilePath] = []
  /// See ``Device/incarnation``.
  var incarnation: UInt64?

  /// The properties of udev that are of use here; see udev(7) and its usb_id and path_id builtins.
  static let udevProperties = [
    "ID_BUS", "ID_PATH", "ID_USB_DRIVER", "ID_USB_INTERFACE_NUM", "ID_VENDOR_ID", "ID_MODEL_ID",
    "ID_SERIAL_SHORT", "ID_VENDOR", "ID_VENDOR_ENC", "ID_MODEL", "ID_MODEL_ENC",
  ]
}

/// A device in sysfs, as far as it matters here.
struct SysfsNode {
  /// Its folder, for example `/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1`.
  var syspath: String
  /// Its bus or class.
  var subsystem: String?
  /// What it is on its bus, for example `usb_device`.
  var type: String?
  /// The driver that it is bound to.
  var driver: String?
  /// The values of its files: those of ``attributeNames`` that are there.
  var attributes: [String: String] = [:]

  /// Its name in its folder.
  var name: String { syspath.split(separator: "/").last.map(String.init) ?? "" }

  /// The files worth reading in a device of a kind.
  ///
  /// Only these: reading a file of sysfs asks the driver, and some have to ask the device.
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
