import Testing

@testable import DeviceWatch

/// A device's ancestors, with udev's name for the physical path.
struct PhysicalPathCase: Sendable, CustomTestStringConvertible {
  let name: String
  /// The ancestors, nearest first.
  let ancestors: [(name: String, subsystem: String?, type: String?)]
  let path: String?

  var testDescription: String { name }

  static let all = [
    PhysicalPathCase(
      name: "a hub's port behind a PCI host controller, with bridges above it",
      ancestors: [
        ("ttyUSB0", "usb-serial", nil), ("1-1.2:1.0", "usb", "usb_interface"),
        ("1-1.2", "usb", "usb_device"), ("1-1", "usb", "usb_device"), ("usb1", "usb", "usb_device"),
        ("0000:00:14.0", "pci", nil), ("0000:00:1c.0", "pci", nil), ("pci0000:00", nil, nil),
      ], path: "pci-0000:00:14.0-usb-0:1.2:1.0"),
    PhysicalPathCase(
      name: "CDC-ACM in a root port, second interface",
      ancestors: [
        ("3-4:1.2", "usb", "usb_interface"), ("3-4", "usb", "usb_device"),
        ("usb3", "usb", "usb_device"), ("0000:00:14.0", "pci", nil),
      ], path: "pci-0000:00:14.0-usb-0:4:1.2"),
    PhysicalPathCase(
      name: "a platform's host controller",
      ancestors: [
        ("1-1.3:1.0", "usb", "usb_interface"), ("1-1.3", "usb", "usb_device"),
        ("1-1", "usb", "usb_device"), ("usb1", "usb", "usb_device"),
        ("3f980000.usb", "platform", nil), ("soc", "platform", nil), ("platform", nil, nil),
      ], path: "platform-3f980000.usb-usb-0:1.3:1.0"),
    PhysicalPathCase(
      name: "a platform's host controller behind PCI",
      ancestors: [
        ("2-1:1.0", "usb", "usb_interface"), ("2-1", "usb", "usb_device"),
        ("usb2", "usb", "usb_device"), ("xhci-hcd.1.auto", "platform", nil),
        ("0000:01:00.0", "pci", nil),
      ], path: "pci-0000:01:00.0-platform-xhci-hcd.1.auto-usb-0:1:1.0"),
    PhysicalPathCase(
      name: "a USB host controller of a virtual machine: virtio is no piece",
      ancestors: [
        ("1-1:1.0", "usb", "usb_interface"), ("1-1", "usb", "usb_device"),
        ("usb1", "usb", "usb_device"), ("virtio3", "virtio", nil), ("0000:00:05.0", "pci", nil),
      ], path: "pci-0000:00:05.0-usb-0:1:1.0"),
    PhysicalPathCase(
      name: "a UART on a PCI card, with the kernel's bookkeeping between",
      ancestors: [
        ("0000:03:00.0:0.1", "serial-base", "port"), ("0000:03:00.0:0", "serial-base", "ctrl"),
        ("0000:03:00.0", "pci", nil), ("0000:00:1c.0", "pci", nil), ("pci0000:00", nil, nil),
      ], path: "pci-0000:03:00.0"),
    PhysicalPathCase(
      name: "a UART on the chip",
      ancestors: [
        ("fe201000.serial:0.0", "serial-base", "port"),
        ("fe201000.serial:0", "serial-base", "ctrl"),
        ("fe201000.serial", "amba", nil), ("soc", "platform", nil),
      ], path: "platform-soc-amba-fe201000.serial"),
    PhysicalPathCase(
      name: "a UART behind SPI",
      ancestors: [
        ("spi0.1", "spi", nil), ("spi0", "spi_master", nil), ("fe204000.spi", "platform", nil),
      ], path: "platform-fe204000.spi-cs-1"),
    PhysicalPathCase(
      name: "the UART of a PC: its bus gives no names that stay",
      ancestors: [
        ("00:01:0.0", "serial-base", "port"), ("00:01:0", "serial-base", "ctrl"),
        ("00:01", "pnp", nil), ("pnp0", nil, nil),
      ], path: nil),
    PhysicalPathCase(
      name: "USB on nothing that is known",
      ancestors: [("1-1:1.0", "usb", "usb_interface"), ("1-1", "usb", "usb_device")], path: nil),
    PhysicalPathCase(name: "nothing", ancestors: [], path: nil),
  ]
}

@Suite(.timeLimit(.minutes(30))) struct PhysicalPathTests {
  @Test(arguments: PhysicalPathCase.all)
  func pathIsThatOfUdev(of example: PhysicalPathCase) {
    let ancestors = example.ancestors.map {
      SysfsNode("/sys/devices/\($0.name)", $0.subsystem, type: $0.type)
    }
    #expect(PhysicalPath.of(ancestors) == example.path)
  }
}
