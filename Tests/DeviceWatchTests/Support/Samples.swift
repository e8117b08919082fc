import SystemPackage

@testable import DeviceWatch

extension Device {
  /// A typical FTDI adapter: `ttyUSB3` with the serial number A3, at the third port of a hub.
  static func ftdi(
    _ number: Int, serialNumber: String?? = .none, port: String? = nil,
    creationNumber: UInt64? = nil
  ) -> Device {
    let port = port ?? "1.\(number)"
    return Device(
      syspath: "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-\(port)/1-\(port):1.0"
        + "/ttyUSB\(number)/tty/ttyUSB\(number)",
      node: FilePath("/dev/ttyUSB\(number)"), kind: .usb, creationNumber: creationNumber,
      driver: "ftdi_sio", vendorID: 0x0403, productID: 0x6001,
      serialNumber: serialNumber ?? "FTA\(number)", manufacturer: "FTDI", product: "FT232R",
      interfaceNumber: 0, portNumber: 0, physicalPath: "pci-0000:00:14.0-usb-0:\(port):1.0",
      hardwarePath: "/sys/devices/pci0000:00/0000:00:14.0/usb1/1-1/1-\(port)/1-\(port):1.0",
      links: [FilePath("/dev/serial/by-id/usb-FTDI_FT232R_FTA\(number)-if00-port0")])
  }

  /// The computer's own UART.
  static let onboard = Device(
    syspath: "/sys/devices/pnp0/00:01/00:01:0/00:01:0.0/tty/ttyS0", node: "/dev/ttyS0", kind: .uart,
    driver: "serial", hardwarePath: "/sys/devices/pnp0/00:01/00:01:0/00:01:0.0")

  /// The same device with one property changed.
  func with<Value>(_ property: WritableKeyPath<Device, Value>, _ value: Value) -> Device {
    var copy = self
    copy[keyPath: property] = value
    return copy
  }
}

extension SysfsNode {
  init(
    _ syspath: String, _ subsystem: String?, type: String? = nil, driver: String? = nil,
    _ attributes: [String: String] = [:]
  ) {
    self.init(
      syspath: syspath, subsystem: subsystem, type: type, driver: driver, attributes: attributes)
  }
}
