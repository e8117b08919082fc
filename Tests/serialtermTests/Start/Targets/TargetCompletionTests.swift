import DeviceWatch
import Options
import Sessions
import SystemPackage
import Testing

@testable import serialterm

@Suite("The completions of a TARGET")
struct TargetCompletionTests {
  private static let first = Device(
    syspath: "/sys/1", node: "/dev/ttyUSB0", kind: .usb, vendorID: 0x0403, productID: 0x6001,
    serialNumber: "A1", manufacturer: "FTDI", product: "FT232R",
    physicalPath: "pci-0000:00:14.0-usb-0:1:1.0",
    links: ["/dev/board", "/dev/serial/by-id/usb-FTDI_A1"])
  private static let second = Device(
    syspath: "/sys/2", node: "/dev/ttyUSB1", kind: .usb, vendorID: 0x0403, productID: 0x6001)
  private static let uart = Device(syspath: "/sys/3", node: "/dev/ttyS0", kind: .uart)
  private static let absent = Device(
    syspath: "/sys/4", node: "/dev/ttyS1", kind: .uart, hasHardware: false)

  private func candidates(_ text: String) -> [String] {
    let targets = LinkProviders.standard.completions(of: text) {
      [Self.uart, Self.first, Self.second, Self.absent]
    }
    return Target.candidates(
      targets, profiles: [.init("kitchen", "profile")].filter { $0.word.hasPrefix(text) }
    ).map { $0.description.isEmpty ? $0.word : "\($0.word): \($0.description)" }
  }

  @Test("without typed text, they are the nodes, adapters first, the profiles and the other forms")
  func all() {
    #expect(
      candidates("") == [
        "/dev/ttyUSB0: 0403:6001 A1 FTDI FT232R", "/dev/ttyUSB1: 0403:6001 usb", "/dev/ttyS0: uart",
        "kitchen: profile", "latest: the device that was plugged in last",
        "new: the next device that is plugged in", "loopback:: a simulated device that echoes",
        "loopback:board: a simulated board",
      ])
  }

  @Test(
    "a beginning also completes names below /dev and selectors",
    arguments: [
      ("tty", ["ttyUSB0", "ttyUSB1", "ttyS0"]), ("/dev/ttyUSB", ["/dev/ttyUSB0", "/dev/ttyUSB1"]),
      ("boa", ["board"]), ("/dev/bo", ["/dev/board"]),
      ("usb:", ["usb:0403:6001", "usb:0403:6001:A1"]),
      ("serial", ["serial:A1"]), ("port:", ["port:pci-0000:00:14.0-usb-0:1:1.0"]),
      ("ki", ["kitchen"]),
      ("x", []),
    ])
  func beginnings(text: String, words: [String]) {
    #expect(candidates(text).map { String($0.prefix { $0 != " " }.dropLast()) } == words)
  }

  @Test("a selector that matches several devices is proposed once")
  func lookAlikes() {
    #expect(candidates("usb:0403:6001").first == "usb:0403:6001: 2 devices")
  }
}
