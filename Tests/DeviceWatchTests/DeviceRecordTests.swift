import SystemPackage
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct DeviceRecordTests {
  private static let hub = "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1"

  /// The entries of an FT232R in sysfs.
  private static let ftdi = PortRecord(
    port: SysfsNode("\(hub)/1-1:1.0/ttyUSB0/tty/ttyUSB0", "tty"), node: "/dev/ttyUSB0",
    ancestors: [
      SysfsNode(
        "\(hub)/1-1:1.0/ttyUSB0", "usb-serial", driver: "ftdi_sio", ["port_number": "0"]),
      SysfsNode(
        "\(hub)/1-1:1.0", "usb", type: "usb_interface", driver: "ftdi_sio",
        ["bInterfaceNumber": "0a"]),
      SysfsNode(
        hub, "usb", type: "usb_device", driver: "usb",
        [
          "idVendor": "0403", "idProduct": "6001", "serial": "A50285BI", "manufacturer": "FTDI",
          "product": " FT232R USB UART  ",
        ]),
      SysfsNode(
        "/sys/devices/pci0000:00/0000:00:14.0/usb1", "usb", type: "usb_device",
        ["idVendor": "1d6b", "serial": "0000:00:14.0"]),
      SysfsNode("/sys/devices/pci0000:00/0000:00:14.0", "pci", driver: "xhci_hcd"),
    ], creationNumber: 7)

  @Test func usbAdapter_isDescribedBySysfsAlone() {
    let device = Device(Self.ftdi)
    #expect(device.kind == .usb)
    #expect(device.hasHardware)
    #expect(device.driver == "ftdi_sio")
    #expect(device.vendorID == 0x0403)
    #expect(device.productID == 0x6001)
    #expect(device.serialNumber == "A50285BI", "its own, not the root hub's")
    #expect(device.manufacturer == "FTDI")
    #expect(device.product == "FT232R USB UART", "without the blanks around it")
    #expect(device.interfaceNumber == 10, "hexadecimal")
    #expect(device.portNumber == 0)
    #expect(device.physicalPath == "pci-0000:00:14.0-usb-0:1:1.0")
    #expect(device.hardwarePath == "\(Self.hub)/1-1:1.0")
    #expect(device.creationNumber == 7)
    #expect(device.links == [])
  }

  /// Written by hand: UARTs that are part of the computer, and devices that can be unplugged.
  @Test(arguments: [
    (SysfsNode("/sys/devices/platform/serial8250", "platform"), "ttyS0", false),
    (SysfsNode("/sys/devices/pci0/1", "pci", ["removable": "fixed"]), "ttyS4", false),
    (SysfsNode("/sys/devices/pci0/1", "pci", ["removable": "removable"]), "ttyS4", true),
    (SysfsNode("/sys/devices/pci0/1/0.0", "pcmcia"), "ttyS5", true),
    (SysfsNode("/sys/devices/pci0/usb1/1-1/hci0", "bluetooth"), "rfcomm0", true),
    (SysfsNode("/sys/devices/virtual/tty/tnt0", nil), "tnt0", false),
  ])
  func hotPluggable_dependsOnTheParent(parent: SysfsNode, name: String, isHotPluggable: Bool) {
    let port = SysfsNode("\(parent.syspath)/tty/\(name)", "tty")
    let record = PortRecord(port: port, node: FilePath("/dev/\(name)"), ancestors: [parent])
    #expect(Device(record).isHotPluggable == isHotPluggable)
    #expect(Device(Self.ftdi).isHotPluggable)
  }

  @Test func sysfsComesBeforeUdev_exceptForThePlace() {
    var record = Self.ftdi
    record.properties = [
      "ID_BUS": "usb", "ID_VENDOR_ID": "ffff", "ID_SERIAL_SHORT": "other", "ID_MODEL": "Other",
      "ID_USB_INTERFACE_NUM": "05", "ID_USB_DRIVER": "usb", "ID_PATH": "pci-as-udev-says",
    ]
    record.links = ["/dev/serial/by-path/b", "/dev/board10", "/dev/board9"]
    let device = Device(record)
    #expect(device.vendorID == 0x0403)
    #expect(device.serialNumber == "A50285BI")
    #expect(device.product == "FT232R USB UART")
    #expect(device.interfaceNumber == 10)
    #expect(device.driver == "ftdi_sio")
    #expect(device.physicalPath == "pci-as-udev-says")
    #expect(device.links == ["/dev/board9", "/dev/board10", "/dev/serial/by-path/b"])
  }

  @Test func udevFillsIn_whenTheDeviceHasLeftSysfs() {
    let record = PortRecord(
      port: SysfsNode("/sys/devices/x/ttyUSB4", "tty"), node: "/dev/ttyUSB4",
      properties: [
        "ID_BUS": "usb", "ID_VENDOR_ID": "10c4", "ID_MODEL_ID": "ea60", "ID_SERIAL_SHORT": "0001",
        "ID_VENDOR": "Silicon_Labs", "ID_VENDOR_ENC": "Silicon\\x20Labs", "ID_MODEL": "CP2102_USB",
        "ID_USB_INTERFACE_NUM": "00", "ID_USB_DRIVER": "cp210x", "ID_PATH": "pci-0-usb-0:2:1.0",
      ])
    let device = Device(record)
    #expect(device.kind == .usb)
    #expect(device.driver == "cp210x")
    #expect(device.vendorID == 0x10C4)
    #expect(device.productID == 0xEA60)
    #expect(device.serialNumber == "0001")
    #expect(device.manufacturer == "Silicon Labs")
    #expect(device.product == "CP2102_USB")
    #expect(device.interfaceNumber == 0)
    #expect(device.portNumber == nil)
  }

  @Test func adapterThatHasLeftSysfs_isNotTakenForItsHub() {
    var record = Self.ftdi
    record.ancestors.removeFirst(3)
    record.properties = [
      "ID_BUS": "usb", "ID_VENDOR_ID": "0403", "ID_MODEL_ID": "6001", "ID_SERIAL_SHORT": "A50285BI",
      "ID_USB_INTERFACE_NUM": "0a",
    ]
    record.links = ["/dev/board", "/dev/serial/by-id/usb-FTDI_FT232R_A50285BI-if0a-port0"]
    #expect(USBFunction(Device(record)) == USBFunction(Device(Self.ftdi)))
    record.properties = [:]
    #expect(Device(record).vendorID == nil)
    #expect(Device(record).serialNumber == nil)
  }

  @Test func missingDescription_isAbsent_notEmpty_norUdevsReplacement() {
    var record = Self.ftdi
    record.ancestors[2].attributes = [
      "idVendor": "1a86", "idProduct": "7523", "product": "  ", "serial": "\0",
    ]
    let bySysfs = Device(record)
    // For a device without a name, udev stores its number in place of the name.
    let byUdev = Device(
      PortRecord(
        port: SysfsNode("/sys/devices/x/ttyUSB0", "tty"), node: "/dev/ttyUSB0",
        properties: [
          "ID_BUS": "usb", "ID_VENDOR_ID": "1a86", "ID_VENDOR": "1a86", "ID_VENDOR_ENC": "1a86",
          "ID_MODEL_ID": "7523", "ID_MODEL": "7523",
        ]))
    for device in [bySysfs, byUdev] {
      #expect(device.vendorID == 0x1A86)
      #expect(device.manufacturer == nil)
      #expect(device.product == nil)
      #expect(device.serialNumber == nil)
    }
  }

  @Test func cdcACM_isAKindOfItsOwn() {
    var record = Self.ftdi
    record.port.syspath = "\(Self.hub)/1-1:1.0/tty/ttyACM0"
    record.ancestors.removeFirst()
    record.ancestors[0].driver = "cdc_acm"
    let device = Device(record)
    #expect(device.kind == .acm)
    #expect(device.driver == "cdc_acm")
    #expect(device.portNumber == nil)
  }

  // MARK: UARTs

  private static func uart(type: String?, behind ancestors: [SysfsNode]) -> Device {
    let parent = ancestors.first?.syspath ?? "/sys/devices"
    let port = SysfsNode("\(parent)/tty/ttyS4", "tty", type.map { ["type": $0] } ?? [:])
    return Device(PortRecord(port: port, node: "/dev/ttyS4", ancestors: ancestors))
  }

  @Test func uart_hasTheDriverBeyondTheKernelsBookkeeping_andAPlaceWithoutItsNumber() {
    let card = "/sys/devices/pci0000:00/0000:03:00.0"
    let device = Self.uart(
      type: "4",
      behind: [
        SysfsNode("\(card)/3:0/3:0.1", "serial-base", type: "port", driver: "port"),
        SysfsNode("\(card)/3:0", "serial-base", type: "ctrl", driver: "ctrl"),
        SysfsNode(card, "pci", driver: "8250_pci"),
      ])
    #expect(device.kind == .uart)
    #expect(device.driver == "8250_pci")
    #expect(device.hardwarePath == "\(card)/3:0/3:0.1")
    #expect(device.physicalPath == "pci-0000:03:00.0")
    #expect(device.vendorID == nil)
  }

  @Test func uartOfAnOlderKernel_isDistinguishedFromItsNeighboursByName() {
    let card = SysfsNode("/sys/devices/pci0000:00/0000:03:00.0", "pci", driver: "serial")
    let device = Self.uart(type: "4", behind: [card])
    #expect(device.hardwarePath == "/sys/devices/pci0000:00/0000:03:00.0/tty/ttyS4")
    #expect(device.driver == "serial")
  }

  @Test(arguments: [("0", false), ("4", true), ("16", true), (nil, true)])
  func uartWithoutAChip_hasNoHardware_andADriverThatDoesNotSayIsBelieved(
    type: String?, hasHardware: Bool
  ) {
    let platform = SysfsNode("/sys/devices/platform/serial8250", "platform", driver: "serial8250")
    let device = Self.uart(type: type, behind: [platform])
    #expect(device.hasHardware == hasHardware)
    #expect((device.physicalPath != nil) == hasHardware, "what is not there is nowhere")
  }

  // MARK: Virtual ports

  @Test(arguments: [("ttyGS0", true), ("ttyprintk", false), ("hvc0", false)])
  func virtualPort_hasNeitherDriverNorPlace(name: String, hasHardware: Bool) {
    let device = Device(
      PortRecord(
        port: SysfsNode("/sys/devices/virtual/tty/\(name)", "tty"),
        node: FilePath("/dev/\(name)")))
    #expect(device.kind == .virtual)
    #expect(device.hasHardware == hasHardware)
    #expect(device.driver == nil)
    #expect(device.physicalPath == nil)
    #expect(device.hardwarePath == nil)
  }

  @Test func bluetoothPort_isNotTheUSBAdapterThatCarriesIt() {
    var record = Self.ftdi
    record.port.syspath = "\(Self.hub)/1-1:1.0/bluetooth/hci0/hci0:12/tty/rfcomm0"
    record.node = "/dev/rfcomm0"
    record.ancestors[0] = SysfsNode("\(Self.hub)/1-1:1.0/bluetooth/hci0/hci0:12", "bluetooth")
    let device = Device(record)
    #expect(device.kind == .virtual)
    #expect(device.hasHardware)
    #expect(device.vendorID == nil)
    #expect(device.serialNumber == nil)
    #expect(device.identity == .node("/dev/rfcomm0"))
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\\x20b", "a b"), ("\\x2f", "/"), ("\\xc3\\xa9", "é"), ("a\\", "a\\"),
    ("\\x2", "\\x2"), ("\\xzz", "\\xzz"), ("", ""),
  ])
  func udevsEncoding_isUndone(encoded: String, text: String) {
    #expect(USBDescription.decode(udevEncoded: encoded) == text)
  }
}
