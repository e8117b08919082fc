import SystemPackage
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct DeviceIdentityTests {
  /// A device that has appeared, and whether it is the `ttyUSB1` with the serial number FTA1.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let original: Device
    let other: Device
    let isSame: Bool

    init(_ name: String, _ original: Device, _ other: Device, isSame: Bool) {
      testDescription = name
      self.original = original
      self.other = other
      self.isSame = isSame
    }
  }

  private static let numbered = Device.ftdi(1)
  private static let unnumbered = Device.ftdi(1, serialNumber: .some(nil))
  /// The first adapter at another port and with another node.
  private static let moved = Device.ftdi(2, serialNumber: "FTA1")

  private static let cases = [
    Case("itself", numbered, numbered, isSame: true),
    Case("in another port, under another name", numbered, moved, isSame: true),
    Case("with another driver", numbered, numbered.with(\.driver, "usb_serial"), isSame: true),
    Case("another serial number", numbered, .ftdi(1, serialNumber: "FTA9"), isSame: false),
    Case("no serial number any more", numbered, unnumbered, isSame: false),
    Case("another vendor", numbered, numbered.with(\.vendorID, 0x10C4), isSame: false),
    Case("another product", numbered, numbered.with(\.productID, 0x6010), isSame: false),
    Case("its other interface", numbered, numbered.with(\.interfaceNumber, 1), isSame: false),
    Case("its other port", numbered, numbered.with(\.portNumber, 1), isSame: false),

    Case("no number, itself", unnumbered, unnumbered, isSame: true),
    Case(
      "no number, same port, another name", unnumbered, unnumbered.with(\.node, "/dev/ttyUSB7"),
      isSame: true),
    Case(
      "no number, another port", unnumbered, .ftdi(2, serialNumber: .some(nil)), isSame: false),
    Case("no number, and now one in that port", unnumbered, numbered, isSame: false),
    Case(
      "no number, another product in that port", unnumbered, unnumbered.with(\.productID, 1),
      isSame: false),
    Case(
      "no number and no physical path: the same place in sysfs",
      unnumbered.with(\.physicalPath, nil),
      unnumbered.with(\.physicalPath, nil).with(\.node, "/dev/ttyUSB7"), isSame: true),
    Case(
      "no number and no physical path: another product in the same place",
      unnumbered.with(\.physicalPath, nil),
      unnumbered.with(\.physicalPath, nil).with(\.productID, 1), isSame: false),

    Case("an example for a number, itself", junk(1), junk(1), isSame: true),
    Case("an example for a number, another port", junk(1), junk(2), isSame: false),

    Case("a UART", .onboard, .onboard, isSame: true),
    Case(
      "a UART under another number", .onboard, Device.onboard.with(\.node, "/dev/ttyS4"),
      isSame: true),
    Case(
      "another UART under its number", .onboard,
      Device.onboard.with(\.hardwarePath, "/sys/devices/pnp0/00:02/00:02:0/00:02:0.0"),
      isSame: false),

    Case("a node of which no more is known", rfcomm(0), rfcomm(0), isSame: true),
    Case("another such node", rfcomm(0), rfcomm(1), isSame: false),
    Case(
      "a known device that got the node's name", rfcomm(0), numbered.with(\.node, "/dev/rfcomm0"),
      isSame: false),
  ]

  private static func junk(_ number: Int) -> Device { .ftdi(number, serialNumber: "0001") }

  private static func rfcomm(_ number: Int) -> Device {
    Device(
      syspath: "/sys/devices/virtual/tty/rfcomm\(number)", node: FilePath("/dev/rfcomm\(number)"),
      kind: .virtual)
  }

  @Test(arguments: cases)
  func device_isRecognised_andALookAlikeIsNot(_ example: Case) {
    let identity = example.original.identity
    #expect(identity.describes(example.other) == example.isSame)
    #expect((identity == example.other.identity) == example.isSame)
    let match = identity.match(among: [.onboard.with(\.hardwarePath, "/sys/other"), example.other])
    #expect(match == (example.isSame ? .one(example.other) : .none))
  }

  @Test func noDevice_matchesNothing() {
    #expect(Self.numbered.identity.match(among: []) == .none)
  }

  @Test func twins_areAmbiguous_inTheOrderGiven() {
    #expect(
      Self.numbered.identity.match(among: [Self.moved, .onboard, Self.numbered])
        == .ambiguous([Self.moved, Self.numbered]))
  }

  // MARK: Serial numbers

  @Test(arguments: [
    "0001", "0", "1", "00000000", "0000000001", "FFFFFFFF", "ffff", "xxxx", "123456", "12345678",
    "1234567890", "0123456789ABCDEF", "0123456789abcdef", "None", "n/a", "Serial Number",
  ])
  func exampleOfASerialNumber_identifiesNoDevice(text: String) {
    #expect(!SerialNumber.isDistinctive(text))
  }

  @Test(arguments: [
    "FTA1", "A50285BI", "A1", "X", "2", "0002", "1001", "123", "5573532363835130F0A1",
    "0123456789ABCDEF0", "Ä",
  ])
  func anyOtherSerialNumber_mayBeItsOwn(text: String) { #expect(SerialNumber.isDistinctive(text)) }
}
