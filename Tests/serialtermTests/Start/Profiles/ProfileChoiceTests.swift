import Configuration
import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

@Suite("The selection of the profile", .timeLimit(.minutes(30)))
struct ProfileChoiceTests {
  private static let text = """
    [default]
    baud = 1
    parity = "odd"
    [profile.ftdi]
    match = "usb:0403:6001"
    baud = 2
    [profile.boards]
    match = ["serial:B1", "serial:B2"]
    baud = 3
    [profile.node]
    target = "/dev/ttyUSB9"
    baud = 4
    """

  private static func device(_ number: Int, product: UInt16, serial: String) -> Device {
    Device(
      syspath: "/sys/\(number)", node: FilePath("/dev/ttyTEST\(number)"), kind: .usb,
      vendorID: 0x0403, productID: product, serialNumber: serial)
  }

  private let ftdi = device(1, product: 0x6001, serial: "A1")
  private let board = device(2, product: 0x7000, serial: "B2")

  private func choice(
    _ target: Target?, profile: String? = nil, typed: String? = nil, offersMore: Bool = false,
    among devices: [Device] = []
  ) throws -> ProfileChoice {
    let contents = try ConfigurationFile(parsing: Array(Self.text.utf8)) { _, _ in }
    return try ProfileChoice(
      profile: profile, target: target, isName: { $0 == typed },
      file: ProfileFile(path: "config.toml", contents: contents),
      offersMore: offersMore, devices: { devices })
  }

  private func baud(_ choice: ProfileChoice) -> Value? {
    choice.entries.first { $0.key == "baud" }?.value
  }

  @Test("a name stands for its device and its settings, which override those for all")
  func name() throws {
    let choice = try choice(.endpoint(.tty("/dev/node")), typed: "node")
    #expect(choice.target == .endpoint(.tty("/dev/ttyUSB9")))
    #expect(baud(choice) == .integer(4))
    #expect(choice.entries.map(\.key) == ["parity", "target", "baud"])
  }

  @Test("a node with the name of a profile is a node")
  func node() throws {
    let choice = try choice(.endpoint(.tty("/dev/node")), typed: nil)
    #expect(choice.target == .endpoint(.tty("/dev/node")))
    #expect(baud(choice) == .integer(1))
  }

  @Test("a present device has its profile, by any of its names")
  func match() throws {
    let present = [ftdi, board]
    for target: Target in [
      .endpoint(.tty("/dev/ttyTEST1")), .device(.fitting(.serial("A1"))),
      .device(.fitting(.usb(vendorID: 0x0403, productID: 0x6001))),
    ] {
      #expect(baud(try choice(target, among: present)) == .integer(2), "\(target)")
    }
    #expect(baud(try choice(.device(.fitting(.serial("B2"))), among: present)) == .integer(3))
    #expect(baud(try choice(nil, among: [board])) == .integer(3), "the only one")
    #expect(baud(try choice(nil, among: present)) == .integer(1), "nobody knows which")
    #expect(baud(try choice(.endpoint(LoopbackProvider.echo), among: present)) == .integer(1))
  }

  @Test("the only device has its profile once it is chosen, if there is more to choose from")
  func more() throws {
    let open = try choice(nil, offersMore: true, among: [board])
    #expect(baud(open) == .integer(1))
    #expect(open.dependsOnDevice)
    let named = try choice(.device(.latest), offersMore: true, among: [board])
    #expect(baud(named) == .integer(3))
    #expect(!named.dependsOnDevice)
  }

  @Test("an absent device has the profile of the requested target")
  func absent() throws {
    let target = Target.device(.fitting(.usb(vendorID: 0x0403, productID: 0x6001)))
    #expect(baud(try choice(target)) == .integer(2))
  }

  @Test("the requested profile is always used")
  func asked() throws {
    let choice = try choice(.endpoint(.tty("/dev/ttyTEST1")), profile: "boards", among: [ftdi])
    #expect(choice.target == .endpoint(.tty("/dev/ttyTEST1")))
    #expect(baud(choice) == .integer(3))
    #expect(throws: Failure.self) { try self.choice(nil, profile: "nobody") }
  }

  @Test("the name of a profile without a target means its device")
  func target() throws {
    let node = Target.endpoint(.tty("/dev/boards"))
    #expect(
      try choice(node, typed: "boards", among: [board]).target == .device(.fitting(.serial("B2"))))
    #expect(try choice(node, typed: "boards").target == .device(.fitting(.serial("B1"))))
  }
}
