import DeviceWatch
import SerialCore
import SystemPackage
import TextTools

extension Device {
  /// The USB identifier: `0403:6001`; nil for other devices.
  var usbID: String? {
    guard let vendorID, let productID else { return nil }
    return "\(vendorID.hex):\(productID.hex)"
  }

  /// The name that its manufacturer gave it, otherwise the name of its driver.
  var name: String {
    let names = [manufacturer, product].compactMap(\.self)
    return (names.isEmpty ? driver ?? kind.rawValue : names.joined(separator: " ")).harmless
  }

  /// A description for people, in one line.
  var summary: String {
    [usbID, serialNumber?.harmless, name].compactMap(\.self).joined(separator: " ")
  }

  /// The device as JSON.
  ///
  /// - Parameter holder: the process that has the port open; nil for none.
  func json(holder: PortHolder?) -> JSON {
    .object([
      ("node", .string(node.string)),
      ("kind", .string(kind.rawValue)),
      ("driver", JSON(driver)),
      ("vendorID", JSON(vendorID?.hex)),
      ("productID", JSON(productID?.hex)),
      ("serialNumber", JSON(serialNumber)),
      ("manufacturer", JSON(manufacturer)),
      ("product", JSON(product)),
      ("interfaceNumber", interfaceNumber.map(JSON.integer) ?? .null),
      ("physicalPath", JSON(physicalPath)),
      ("links", .array(links.map { .string($0.string) })),
      ("accessible", .bool(NodeAccess.of(node) == .accessible)),
      (
        "holder",
        holder.map { $0.json(hasSession: $0.hasSession) } ?? .null
      ),
    ])
  }
}

extension UInt16 {
  /// The number as four hexadecimal digits, the form of USB identifiers.
  var hex: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
