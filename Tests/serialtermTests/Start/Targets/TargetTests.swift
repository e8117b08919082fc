import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct TargetTests {
  @Test(arguments: [
    ("/dev/ttyUSB0", "/dev/ttyUSB0"), ("ttyUSB0", "/dev/ttyUSB0"), ("./x", "./x"),
    ("dir/x", "dir/x"), ("/dev/serial/by-id/a:b", "/dev/serial/by-id/a:b"),
  ])
  func path_isTakenAsItIs_andABareName_asANodeInDev(text: String, path: String) throws {
    #expect(try Target(parsing: text) == .endpoint(.tty(FilePath(path))))
  }

  @Test func loopback_isEchoOrBoard() throws {
    #expect(try Target(parsing: "loopback:") == .endpoint(LoopbackProvider.echo))
    #expect(try Target(parsing: "loopback:board") == .endpoint(LoopbackProvider.board))
    let failure = #expect(throws: Failure.self) { try Target(parsing: "loopback:nothing") }
    #expect(failure?.status == .usage)
    #expect(failure?.message.contains("loopback:board") == true)
  }

  @Test func usbAndSerialAndPort_areSelectors() throws {
    for text in ["usb:0403:6001", "usb:0403:6001:A1", "serial:A1", "port:pci-0000:00:14.0-usb-0:1"]
    {
      guard case .device(.fitting) = try Target(parsing: text) else {
        Issue.record("\(text) is no selector")
        continue
      }
    }
  }

  @Test(arguments: [
    "", "usb:", "usb:0403", "usb:04034:6001", "usb:xyz:6001", "serial:", "port:", "tcp://host",
    "ssh://host",
  ])
  func wrongTarget_isRefused_asWrongUsage(text: String) {
    let failure = #expect(throws: Failure.self) { try Target(parsing: text) }
    #expect(failure?.status == .usage)
  }

  @Test func failure_keepsItsLines_andNoOtherControlCharacters() {
    #expect(Failure(.usage, "a\u{1B}[31m\n  b\r\n").message == "a\u{FFFD}[31m\n  b\u{FFFD}\n")
  }

  @Test func nameOfADevice_cannotCommandATerminal() {
    let device = Device(
      syspath: "/sys/x", node: "/dev/ttyUSB0", kind: .usb, vendorID: 1, productID: 2,
      serialNumber: "\u{1B}]0;owned\u{7}", product: "Caf\u{E9}\u{9B}31m\n")
    #expect(device.summary == "0001:0002 \u{FFFD}]0;owned\u{FFFD} Caf\u{E9}\u{FFFD}31m\u{FFFD}")
  }
}
