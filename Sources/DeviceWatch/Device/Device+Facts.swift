import SystemPackage

extension Device {
  /// Creates a device from the data of the kernel and of udev.
  ///
  /// The kernel's data have precedence, because every computer has them. Udev's properties are used where sysfs has
  /// no data: when the device is gone by the time its event is read.
  init(_ facts: PortFacts) {
    let driver = facts.hardware?.driver ?? facts.properties["ID_USB_DRIVER"]
    let kind = Self.kind(facts, driver: driver)
    let hasHardware = Self.hasHardware(facts, kind: kind)
    let isSomewhere = kind != .virtual && hasHardware
    self.init(
      syspath: facts.port.syspath, node: facts.node, kind: kind, hasHardware: hasHardware,
      isHotPluggable: kind == .usb || kind == .acm || facts.isRemovable,
      incarnation: facts.incarnation, driver: kind == .virtual ? nil : driver,
      physicalPath: isSomewhere
        ? facts.properties["ID_PATH"] ?? PhysicalPath.of(facts.ancestors) : nil,
      hardwarePath: Self.hardwarePath(facts, kind: kind),
      links: facts.links.sorted { naturallyPrecedes($0.string, $1.string) })
    if kind == .usb || kind == .acm { describe(USBFacts(facts)) }
  }

  private mutating func describe(_ usb: USBFacts) {
    vendorID = usb.vendorID
    productID = usb.productID
    serialNumber = usb.serialNumber
    manufacturer = usb.manufacturer
    product = usb.product
    interfaceNumber = usb.interfaceNumber
    portNumber = usb.portNumber
  }

  private static func kind(_ facts: PortFacts, driver: String?) -> Kind {
    let name = facts.port.name
    // A Bluetooth adapter is usually a USB device, but the device bound to rfcomm0 is not.
    if facts.isOnBluetooth { return .virtual }
    if facts.isOnUSB { return driver == "cdc_acm" || name.hasPrefix("ttyACM") ? .acm : .usb }
    return facts.port.syspath.hasPrefix("/sys/devices/virtual/") ? .virtual : .uart
  }

  private static func hasHardware(_ facts: PortFacts, kind: Kind) -> Bool {
    switch kind {
    case .usb, .acm: true
    // PORT_UNKNOWN in linux/serial.h: the driver reserves a port for a UART that it did not find.
    case .uart: facts.port.attributes["type"] != "0"
    case .virtual: TTYName.isMadeOnPurpose(facts.port.name)
    }
  }

  private static func hardwarePath(_ facts: PortFacts, kind: Kind) -> String? {
    switch kind {
    case .virtual: return nil
    case .usb, .acm:
      return facts.ancestors.first { $0.type == "usb_interface" }?.syspath ?? facts.port.syspath
    case .uart:
      // Since Linux 6.5 each port of a chip has a separate device: 0000:03:00.0:0.1 is the second one. Before that,
      // only the name distinguishes two ports of one chip.
      let parent = facts.ancestors.first { $0.subsystem == "serial-base" && $0.type == "port" }
      return parent?.syspath ?? facts.port.syspath
    }
  }
}

extension PortFacts {
  /// The nearest device with the driver of the port: serial-base is internal to the kernel.
  fileprivate var hardware: SysfsNode? {
    ancestors.first { $0.subsystem != nil && $0.subsystem != "serial-base" }
  }

  fileprivate var isOnBluetooth: Bool {
    port.name.hasPrefix("rfcomm") || hardware?.subsystem == "bluetooth"
  }

  /// Whether it can be unplugged other than by USB. For PCI see Documentation/ABI/testing/sysfs-devices-removable:
  /// the slots of Thunderbolt and ExpressCard.
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
