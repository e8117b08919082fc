import DeviceWatch
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct NamingRuleTests {
  private static let adapter = Device(
    syspath: "/sys/devices/pci0/usb1/1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0", node: "/dev/ttyUSB0",
    kind: .usb, driver: "ftdi_sio", vendorID: 0x0403, productID: 0x6001, serialNumber: "A50285BI",
    interfaceNumber: 10, portNumber: 0, physicalPath: "pci-0000:00:14.0-usb-0:1.2:1.10")

  private static func device(_ change: (inout Device) -> Void) -> Device {
    var device = adapter
    change(&device)
    return device
  }

  private static let usb =
    #"ACTION!="remove", SUBSYSTEM=="tty", ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001", "#
  private static let place = #"ENV{ID_PATH}=="pci-0000:00:14.0-usb-0:1.2:1.10", SYMLINK+="board""#

  @Test(arguments: [
    (
      adapter,
      usb + #"ATTRS{serial}=="A50285BI", ENV{ID_USB_INTERFACE_NUM}=="0a", ENV{.ID_PORT}=="0", "#
        + #"SYMLINK+="board""#
    ),
    (
      device { $0.serialNumber = nil },
      usb + #"ENV{ID_USB_INTERFACE_NUM}=="0a", ENV{.ID_PORT}=="0", "# + place
    ),
    (
      device {
        $0.serialNumber = "0001"
        $0.portNumber = nil
        $0.interfaceNumber = nil
      }, usb + place
    ),
    (
      device {
        $0.serialNumber = nil
        $0.portNumber = nil
        $0.interfaceNumber = nil
        $0.physicalPath = nil
        $0.hardwarePath = "/sys/devices/pci0/usb1/1-1/1-1:1.0"
      }, usb + #"DEVPATH=="/devices/pci0/usb1/1-1/1-1:1.0/*", SYMLINK+="board""#
    ),
    (
      Device(
        syspath: "/sys/devices/platform/x/tty/ttyS4", node: "/dev/ttyS4", kind: .uart,
        hardwarePath: "/sys/devices/platform/x"),
      #"ACTION!="remove", SUBSYSTEM=="tty", DEVPATH=="/devices/platform/x/tty/ttyS4", "#
        + #"SYMLINK+="board""#
    ),
  ])
  func device_isNamedByItsOwnProperties(device: Device, rule: String) throws {
    let name = try NodeName(parsing: "board")
    #expect(try NamingRule(naming: device, name, among: [device]).rule == rule)
  }

  @Test func twins_areNamedByTheirPlace() throws {
    let twin = Self.device {
      $0.syspath += "1"
      $0.physicalPath = "pci-0000:00:14.0-usb-0:9:1.10"
    }
    let name = try NodeName(parsing: "board")
    let rule = try NamingRule(naming: Self.adapter, name, among: [Self.adapter, twin]).rule
    #expect(rule.hasSuffix(Self.place))
    #expect(!rule.contains("serial"))
  }

  /// A quotation mark would end the pattern, and the rest would be part of the rule: RUN starts
  /// programs as root.
  @Test(arguments: [
    (#"A", RUN+="/bin/sh"#, #"A?, RUN+=?/bin/sh"#), ("*", "?"), ("a|b[c]", "a?b?c?"),
    ("$env{X}%k", "?env?X??k"), ("naïve", "na*ve"), ("A\nB", "A?B"), ("a b", "a b"),
  ])
  func nameOfADevice_cannotChangeTheRule(serialNumber: String, pattern: String) throws {
    let device = Self.device { $0.serialNumber = serialNumber }
    let rule = try NamingRule(naming: device, NodeName(parsing: "b"), among: [device]).rule
    let serial = rule.split(separator: ", ENV").first?.split(separator: "ATTRS{serial}==").last
    #expect(serial == "\"\(pattern)\"")
  }

  @Test func virtualPort_isRefused() throws {
    let port = Device(syspath: "/sys/x", node: "/dev/rfcomm0", kind: .virtual)
    let name = try NodeName(parsing: "board")
    #expect(throws: Failure.self) { try NamingRule(naming: port, name, among: [port]) }
  }

  @Test func comment_saysHowToInstallAndUndo() throws {
    let name = try NodeName(parsing: "board")
    let rule = try NamingRule(naming: Self.adapter, name, among: [Self.adapter])
    let lines = rule.lines(for: Self.adapter, name, target: "ttyUSB0")
    #expect(lines.last == rule.rule)
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("# ") })
    #expect(lines.contains { $0.contains("sudo tee /etc/udev/rules.d/70-board.rules") })
    #expect(lines.contains { $0.contains("sudo rm /etc/udev/rules.d/70-board.rules") })
  }

  /// A user who copies the command must run only that, and nothing that a TARGET injects.
  @Test func targetInTheComment_isOneWordOfAShell() throws {
    let name = try NodeName(parsing: "board")
    let rule = try NamingRule(naming: Self.adapter, name, among: [Self.adapter])
    let lines = rule.lines(for: Self.adapter, name, target: "x'; rm -rf ~\nRUN+=\"y\"")
    let command = #"serialterm rules $'x\'; rm -rf ~\012RUN+="y"' --name board"#
    #expect(lines.contains { $0.contains(command) })
    #expect(lines.allSatisfy { !$0.contains("\n") })
  }

  @Test(arguments: ["board", "b", "Board_2.a-b"])
  func name_isTaken(text: String) throws { #expect(try NodeName(parsing: text).text == text) }

  @Test(arguments: [
    "", "a b", "a/b", "../x", ".hidden", "-x", "1x", "ttyUSB0", "a\"b", "é", "a\n", "$x",
    String(repeating: "a", count: 65),
  ])
  func name_isRefused_asWrongUsage(text: String) {
    let failure = #expect(throws: Failure.self) { try NodeName(parsing: text) }
    #expect(failure?.status == .usage)
  }
}
