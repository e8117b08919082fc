import SystemPackage
import TestSupport
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct DeviceSelectorTests {
  // MARK: Text

  @Test(arguments: [
    ("usb:0403:6001", DeviceSelector.usb(vendorID: 0x0403, productID: 0x6001)),
    ("usb:403:1", .usb(vendorID: 0x0403, productID: 1)),
    ("usb:10C4:ea60:0001", .usb(vendorID: 0x10C4, productID: 0xEA60, serialNumber: "0001")),
    ("usb:1:2:a:b: c", .usb(vendorID: 1, productID: 2, serialNumber: "a:b: c")),
    ("serial:FTA1", .serial("FTA1")), ("serial:a:b", .serial("a:b")), ("serial: ", .serial(" ")),
    ("port:pci-0000:00:14.0-usb-0:1", .port("pci-0000:00:14.0-usb-0:1")),
  ])
  func text_isRead(text: String, selector: DeviceSelector) throws {
    #expect(try DeviceSelector(parsing: text) == selector)
    #expect(try DeviceSelector(parsing: "\(selector)") == selector, "and written, and read again")
  }

  @Test(arguments: [
    "", "/dev/ttyUSB0", "ttyUSB0", "usb", "USB:0403:6001", "/dev/serial/by-id/usb:1", "board", ":",
    "usbx:1:2", "tcp://host:1", "latest",
  ])
  func otherText_isNoSelector(text: String) throws {
    #expect(try DeviceSelector(parsing: text) == nil)
  }

  @Test(arguments: [
    ("usb:", DeviceSelectorError.Code.numbersExpected), ("usb:0403", .numbersExpected),
    ("usb:0403:", .numbersExpected), ("usb::6001", .numbersExpected),
    ("usb:04030:6001", .numbersExpected), ("usb:0403:06001", .numbersExpected),
    ("usb:+403:6001", .numbersExpected), ("usb:-1:6001", .numbersExpected),
    ("usb:0x4:6001", .numbersExpected), ("usb:xyz:6001", .numbersExpected),
    ("usb: 403:6001", .numbersExpected), ("usb:Ａ:1", .numbersExpected),
    ("usb:0403:6001:", .serialNumberMissing), ("serial:", .serialNumberMissing),
    ("port:", .placeMissing),
  ])
  func malformedText_isRefused(text: String, code: DeviceSelectorError.Code) throws {
    let error = #expect(throws: DeviceSelectorError.self) { try DeviceSelector(parsing: text) }
    #expect(error?.code == code)
    #expect(error?.description.hasPrefix("'\(text)': ") == true)
  }

  @Test func numbersAreWritten_withFourDigits() {
    #expect("\(DeviceSelector.usb(vendorID: 0x0403, productID: 1))" == "usb:0403:0001")
    #expect("\(DeviceSelector.node("/dev/ttyUSB0"))" == "/dev/ttyUSB0")
  }

  // MARK: Matching

  private static let devices = [
    Device.onboard, .ftdi(1), .ftdi(2), .ftdi(3).with(\.productID, 0x6010),
    Device.ftdi(4).with(\.productID, 0x6010).with(\.interfaceNumber, 1).with(\.portNumber, nil)
      .with(\.serialNumber, "FTA3").with(\.physicalPath, "pci-0000:00:14.0-usb-0:1.3:1.1"),
  ]

  @Test(arguments: [
    ("usb:0403:6001", ["ttyUSB1", "ttyUSB2"]), ("usb:0403:6001:FTA2", ["ttyUSB2"]),
    ("usb:0403:6010:FTA3", ["ttyUSB3", "ttyUSB4"]), ("usb:0403:6001:fta2", []),
    ("usb:1a86:7523", []), ("serial:FTA1", ["ttyUSB1"]), ("serial:FTA3", ["ttyUSB3", "ttyUSB4"]),
    ("serial:FTA", []),
    ("port:pci-0000:00:14.0-usb-0:1.2:1.0", ["ttyUSB2"]),
    ("port:pci-0000:00:14.0-usb-0:1.2:1.0-port0", ["ttyUSB2"]),
    ("port:pci-0000:00:14.0-usb-0:1.2:1.0-port1", []),
    ("port:pci-0000:00:14.0-usb-0:1.3:1.1", ["ttyUSB4"]),
    ("port:pci-0000:00:14.0-usb-0:1.3:1.1-port0", []),
    ("port:pci-0000:00:14.0-usb-0:1.3", ["ttyUSB3", "ttyUSB4"]),
    ("port:pci-0000:00:14.0-usb-0:1", []), ("port:pci-0000:00:14.0", []), ("port:pci", []),
  ])
  func selector_matchesOnlyItsDescription(text: String, names: [String]) throws {
    let selector = try #require(try DeviceSelector(parsing: text))
    #expect(selector.matches(among: Self.devices).map(\.node.lastComponent?.string) == names)
  }

  @Test func uartOnPCI_isPickedByItsPlace_butNotByAPieceOfIt() {
    let card = Device.onboard.with(\.physicalPath, "pci-0000:03:00.0")
    #expect(DeviceSelector.port("pci-0000:03:00.0").matches(among: [card]) == [card])
    #expect(DeviceSelector.port("pci-0000:03").matches(among: [card]) == [])
  }

  @Test func node_isWhereThePathLeads() {
    let (first, second) = (Device.ftdi(1), Device.ftdi(2))
    let links: [FilePath: FilePath] = [
      "/dev/ttyUSB1": "/dev/ttyUSB1", "/home/me/board": "/dev/ttyUSB2", "/dev/null": "/dev/null",
    ]
    func matches(_ path: FilePath) -> [Device] {
      DeviceSelector.node(path).matches(among: [first, second]) { links[$0] }
    }
    #expect(matches("/dev/ttyUSB1") == [first])
    #expect(matches("/home/me/board") == [second])
    #expect(matches("/dev/null") == [])
  }

  @Test func linkThatTwoDevicesClaim_meansTheOneThatItLeadsTo() {
    let link: FilePath = "/dev/serial/by-id/usb-1a86_USB_Serial-if00-port0"
    let first = Device.ftdi(1).with(\.links, [link])
    let second = Device.ftdi(2).with(\.links, [link])
    let selector = DeviceSelector.node(link)
    #expect(selector.matches(among: [first, second]) { _ in "/dev/ttyUSB2" } == [second])
  }

  @Test func nodeOrLinkThatHasJustGone_meansTheDeviceThatHadIt() {
    let (first, second) = (Device.ftdi(1), Device.ftdi(2))
    #expect(
      DeviceSelector.node(second.links[0]).matches(among: [first, second]) { _ in nil } == [second])
    #expect(
      DeviceSelector.node("/dev/ttyUSB1").matches(among: [first, second]) { _ in nil } == [first])
    #expect(DeviceSelector.node("/dev/none").matches(among: [first, second]) { _ in nil } == [])
  }

  @Test func node_isResolvedInTheFileSystem_byDefault() throws {
    let folder = try TemporaryFolder()
    let link = try folder.link("board", to: "/dev/null")
    let null = Device(syspath: "/sys/devices/virtual/mem/null", node: "/dev/null", kind: .virtual)
    #expect(DeviceSelector.node(link).matches(among: [.onboard, null]) == [null])
  }
}
