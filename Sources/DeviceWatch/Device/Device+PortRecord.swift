import SystemPackage

extension Device {
  /// Creates a device from the data of the kernel and of udev.
  ///
  /// The kernel's data have precedence, because every computer has them. Udev's properties are used
  /// where sysfs has no data: when the device is gone by the time its event is read.
  init(_ record: PortRecord) {
    let driver = record.hardware?.driver ?? record.properties["ID_USB_DRIVER"]
    let kind = Self.kind(record, driver: driver)
    let hasHardware = Self.hasHardware(record, kind: kind)
    let isSomewhere = kind != .virtual && hasHardware
    self.init(
      syspath: record.port.syspath, node: record.node, kind: kind, hasHardware: hasHardware,
      isHotPluggable: kind == .usb || kind == .acm || record.isRemovable,
      creationNumber: record.creationNumber, driver: kind == .virtual ? nil : driver,
      physicalPath: isSomewhere
        ? record.properties["ID_PATH"] ?? PhysicalPath.of(record.ancestors) : nil,
      hardwarePath: Self.hardwarePath(record, kind: kind),
      links: record.links.sorted { naturallyPrecedes($0.string, $1.string) })
    if kind == .usb || kind == .acm { describe(USBDescription(record)) }
  }

  private mutating func describe(_ usb: USBDescription) {
    vendorID = usb.vendorID
    productID = usb.productID
    serialNumber = usb.serialNumber
    manufacturer = usb.manufacturer
    product = usb.product
    interfaceNumber = usb.interfaceNumber
    portNumber = usb.portNumber
  }

  private static func kind(_ record: PortRecord, driver: String?) -> Kind {
    let name = record.port.name
    // A Bluetooth adapter is usually a USB device, but the device bound to rfcomm0 is not.
    if record.isOnBluetooth { return .virtual }
    if record.isOnUSB { return driver == "cdc_acm" || name.hasPrefix("ttyACM") ? .acm : .usb }
    return record.port.syspath.hasPrefix("/sys/devices/virtual/") ? .virtual : .uart
  }

  private static func hasHardware(_ record: PortRecord, kind: Kind) -> Bool {
    switch kind {
    case .usb, .acm: true
    // PORT_UNKNOWN in linux/serial.h: the driver reserves a port for a UART that it did not find.
    case .uart: record.port.attributes["type"] != "0"
    case .virtual: TTYName.isMadeOnPurpose(record.port.name)
    }
  }

  private static func hardwarePath(_ record: PortRecord, kind: Kind) -> String? {
    switch kind {
    case .virtual: return nil
    case .usb, .acm:
      return record.ancestors.first { $0.type == "usb_interface" }?.syspath ?? record.port.syspath
    case .uart:
      // Since Linux 6.5 each port of a chip has a separate device: 0000:03:00.0:0.1 is the second
      // one. Before that, only the name distinguishes two ports of one chip.
      let parent = record.ancestors.first { $0.subsystem == "serial-base" && $0.type == "port" }
      return parent?.syspath ?? record.port.syspath
    }
  }
}

extension PortRecord {
  /// The nearest device with the driver of the port: serial-base is internal to the kernel.
  fileprivate var hardware: SysfsNode? {
    ancestors.first { $0.subsystem != nil && $0.subsystem != "serial-base" }
  }

  fileprivate var isOnBluetooth: Bool {
    port.name.hasPrefix("rfcomm") || hardware?.subsystem == "bluetooth"
  }

  /// Whether it can be unplugged other than by USB. For PCI see
  /// Documentation/ABI/testing/sysfs-devices-removable: the slots of Thunderbolt and ExpressCard.
  fileprivate var isRemovable: Bool {
    isOnBluetooth
      || ancestors.contains {
        $0.subsystem == "pcmcia" || $0.attributes["removable"] == "removable"
      }
  }

  fileprivate var isOnUSB: Bool {
    ancestors.contains { $0.subsystem == "usb" } || properties["ID_BUS"] == "usb"
      || ["ttyUSB", "ttyACM"].contains { port.name.hasPrefix($0) }
  }
}
