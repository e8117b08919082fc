import Posix
import SystemPackage

extension Inspector {
  private static let usbDevices: FilePath = "/sys/bus/usb/devices"

  /// USB serial chips that are plugged in but have no port.
  var strays: [Inspection.Stray] {
    let names = at(Self.usbDevices).entryNames().sorted()
    return names.filter { !$0.contains(":") }.compactMap { place in
      let folder = Self.usbDevices.appending(place)
      guard let vendor = number(folder.appending("idVendor")),
        let product = number(folder.appending("idProduct"))
      else { return nil }
      let id = USBID(vendor: vendor, product: product)
      // The name of an interface begins with the name of its device: 1-1:1.0.
      let interfaces = names.filter { $0.hasPrefix("\(place):") }.map(Self.usbDevices.appending)
      guard let module = USBSerialChip.module(of: id), !interfaces.contains(where: hasPort) else {
        return nil
      }
      return Inspection.Stray(
        id: id, module: module, place: place, driver: interfaces.lazy.compactMap(driver).first,
        isModuleLoaded: exists(FilePath("/sys/module/\(module)")))
    }
  }

  /// Whether an interface has a port. usbserial drivers create `ttyUSB0` below the
  /// interface, cdc_acm `tty/ttyACM0`.
  private func hasPort(_ interface: FilePath) -> Bool {
    at(interface).entryNames().contains { $0.hasPrefix("tty") }
  }

  private func driver(of interface: FilePath) -> String? {
    let lines = text(interface.appending("uevent"))?.split(separator: "\n") ?? []
    return lines.first { $0.hasPrefix("DRIVER=") }.map { String($0.dropFirst("DRIVER=".count)) }
  }

  private func number(_ file: FilePath) -> UInt16? { text(file).flatMap { UInt16($0, radix: 16) } }
}
