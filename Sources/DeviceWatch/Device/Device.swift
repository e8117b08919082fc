public import SystemPackage

/// A serial port of this machine, as it was when it was looked at.
///
/// A value: it does not change when the port does. What is absent is nil, never empty. Texts that
/// come from a USB device are as the device gave them and may hold anything, control characters
/// too: whoever shows them makes them harmless first.
public struct Device: Hashable, Sendable {
  /// Where the kernel has it, for example `/sys/devices/…/1-1:1.0/ttyUSB0/tty/ttyUSB0`. No two
  /// ports share it at one time.
  public var syspath: String
  /// Its device node, for example `/dev/ttyUSB0`.
  public var node: FilePath
  /// What kind of port it is.
  public var kind: Kind
  /// Whether there is something behind it. A `/dev/ttyS3` for which no UART was found has none, nor
  /// have virtual ports that are there whether or not anybody uses them.
  public var hasHardware: Bool
  /// Whether it can be plugged in and unplugged while the machine runs: a USB device, a Bluetooth
  /// device, a card in a removable slot. A UART of the board is not.
  public var isHotPluggable: Bool
  /// Grows with every device that the kernel makes: a device that was taken out and put back has
  /// another one, even when all else is the same, and what was plugged in last has the largest.
  /// Nil if the device was gone before it could be looked at.
  public var incarnation: UInt64?

  /// The kernel's driver of the port, for example `ftdi_sio`, `cdc_acm`, `serial8250`.
  public var driver: String?
  /// A USB adapter's vendor, for example 0x0403.
  public var vendorID: UInt16?
  /// A USB adapter's product, for example 0x6001.
  public var productID: UInt16?
  /// A USB adapter's serial number.
  public var serialNumber: String?
  /// A USB adapter's maker, as the adapter says.
  public var manufacturer: String?
  /// A USB adapter's name, as the adapter says.
  public var product: String?
  /// Which of a USB adapter's interfaces this is, from 0.
  public var interfaceNumber: Int?
  /// Which of the ports on one USB interface this is, from 0; nil where an interface has but one.
  public var portNumber: Int?

  /// Where it is plugged in, for example `pci-0000:00:14.0-usb-0:1.2:1.0`: udev's ID_PATH, or the
  /// same worked out where no udevd runs. The ports of one card, or of one USB interface, share it.
  public var physicalPath: String?
  /// Where the kernel has the hardware behind the port. It holds the number that the port happened
  /// to get only where nothing else tells two ports of one chip apart. Nil for virtual ports.
  public var hardwarePath: String?
  /// Symbolic links to the node that udev made, sorted; none without udevd.
  public var links: [FilePath]

  /// What kind of port it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A USB adapter with a driver of its own: FTDI, CP210x, CH341, PL2303, …
    case usb
    /// A USB device of the class CDC-ACM: boards with native USB, modems, debug probes.
    case acm
    /// A UART of the machine, on the board, a PCI card or a chip.
    case uart
    /// A port that software makes: Bluetooth's rfcomm, a USB gadget, a null modem driver.
    case virtual
  }

  /// Creates a device from its values.
  ///
  /// - Parameter isHotPluggable: nil for the default of the kind: `usb` and `acm` are.
  public init(
    syspath: String, node: FilePath, kind: Kind, hasHardware: Bool = true,
    isHotPluggable: Bool? = nil, incarnation: UInt64? = nil, driver: String? = nil,
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
    self.incarnation = incarnation
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
