public import SystemPackage

/// A serial port of this computer, at the time of an enumeration or an event.
///
/// A value: it does not change when the port does. Missing data are nil, never empty. Texts of a
/// USB device are unchanged, and may contain anything, including control characters: make them
/// harmless before you show them.
public struct Device: Hashable, Sendable {
  /// Its path in sysfs, for example `/sys/devices/…/1-1:1.0/ttyUSB0/tty/ttyUSB0`. Unique
  /// at any time.
  public var syspath: String
  /// Its device node, for example `/dev/ttyUSB0`.
  public var node: FilePath
  /// The kind of port.
  public var kind: Kind
  /// Whether there is hardware behind it. It is false for a `/dev/ttyS3` without a detected UART,
  /// and for virtual ports that always exist.
  public var hasHardware: Bool
  /// Whether it can be plugged in and unplugged while the computer runs: a USB device, a Bluetooth
  /// device, a card in a removable slot. An on-board UART cannot.
  public var isHotPluggable: Bool
  /// A number that grows with each device that the kernel creates. A device that was unplugged
  /// and plugged in again has another number, even if everything else is the same. The device
  /// that was plugged in last has the largest number. Nil if the device was gone before it
  /// could be examined.
  public var creationNumber: UInt64?

  /// The kernel's driver of the port, for example `ftdi_sio`, `cdc_acm`, `serial8250`.
  public var driver: String?
  /// A USB adapter's vendor, for example 0x0403.
  public var vendorID: UInt16?
  /// A USB adapter's product, for example 0x6001.
  public var productID: UInt16?
  /// A USB adapter's serial number.
  public var serialNumber: String?
  /// The manufacturer that a USB adapter reports.
  public var manufacturer: String?
  /// The product name that a USB adapter reports.
  public var product: String?
  /// The number of the interface of a USB adapter, from 0.
  public var interfaceNumber: Int?
  /// The number of the port on a USB interface, from 0; nil if the interface has only one.
  public var portNumber: Int?

  /// The position where it is plugged in, for example `pci-0000:00:14.0-usb-0:1.2:1.0`:
  /// udev's ID_PATH, computed if udevd does not run. The ports of one card, or of one USB
  /// interface, share it.
  public var physicalPath: String?
  /// The sysfs path of the hardware behind the port. It contains the number of the port only if
  /// nothing else distinguishes two ports of one chip. Nil for virtual ports.
  public var hardwarePath: String?
  /// The symbolic links to the node that udev created, sorted; none without udevd.
  public var links: [FilePath]

  /// A kind of port.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A USB adapter with its own driver: FTDI, CP210x, CH341, PL2303, …
    case usb
    /// A USB device of the class CDC-ACM: boards with native USB, modems, debug probes.
    case acm
    /// A UART of the computer: on the board, on a PCI card or in a chip.
    case uart
    /// A port that is created by software: Bluetooth's rfcomm, a USB gadget, a null modem driver.
    case virtual
  }

  /// Creates a device from its values. With nil for `isHotPluggable`, `usb` and `acm` are
  /// hot-pluggable, others are not.
  public init(
    syspath: String, node: FilePath, kind: Kind, hasHardware: Bool = true,
    isHotPluggable: Bool? = nil, creationNumber: UInt64? = nil, driver: String? = nil,
    vendorID: UInt16? = nil, productID: UInt16? = nil, serialNumber: String? = nil,
    manufacturer: String? = nil, product: String? = nil, interfaceNumber: Int? = nil,
    portNumber: Int? = nil, physicalPath: String? = nil, hardwarePath: String? = nil,
    links: [FilePath] = []
  ) {
    self.syspath = syspath
    self.node = node
    self.kind = kind
    self.hasHardware = hasHardware
    self.isHotPluggable = isHotPluggable ?? (kind == .usb || kind == .acm)
    self.creationNumber = creationNumber
    self.driver = driver
    self.vendorID = vendorID
    self.productID = productID
    self.serialNumber = serialNumber
    self.manufacturer = manufacturer
    self.product = product
    self.interfaceNumber = interfaceNumber
    self.portNumber = portNumber
    self.physicalPath = physicalPath
    self.hardwarePath = hardwarePath
    self.links = links
  }
}
