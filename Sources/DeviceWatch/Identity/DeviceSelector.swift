import Posix
public import SystemPackage

/// A user's description of a device.
public enum DeviceSelector: Hashable, Sendable {
  /// The device behind a node, or behind a symbolic link to one.
  case node(FilePath)
  /// USB adapters of a type; only those with the serial number, if one is given.
  case usb(vendorID: UInt16, productID: UInt16, serialNumber: String? = nil)
  /// USB adapters with this serial number.
  case serial(String)
  /// The device that is plugged into this physical port; for the format see ``matches(among:)``.
  case port(String)
}

extension DeviceSelector {
  /// Whether it names a physical port, and matches any device that is plugged in there.
  public var isPlace: Bool {
    switch self {
    case .port: true
    case .node, .usb, .serial: false
    }
  }

  /// The devices that match, in the given order.
  ///
  /// A physical port can be given in full (`pci-0000:00:14.0-usb-0:1.2:1.0`), without the interface
  /// (`pci-0000:00:14.0-usb-0:1.2`: all ports of a device), or like the links in /dev/serial/by-path
  /// (`pci-0000:00:14.0-usb-0:1.2:1.0-port0`).
  ///
  /// - Parameter devices: the present devices.
  public func matches(among devices: [Device]) -> [Device] {
    matches(among: devices) { $0.realPath }
  }

  /// The same for any file system.
  ///
  /// - Parameters:
  ///   - devices: the present devices.
  ///   - resolve: follows all symbolic links of a path; returns nil if it leads nowhere.
  public func matches(
    among devices: [Device], resolving resolve: (FilePath) -> FilePath?
  ) -> [Device] {
    switch self {
    case .node(let path):
      // Two adapters may claim one link; then its target decides. If it leads nowhere, because the device has just
      // gone, all devices that claim it match.
      if let node = resolve(path) { return devices.filter { $0.node == node } }
      return devices.filter { $0.node == path || $0.links.contains(path) }
    case .usb(let vendorID, let productID, let serialNumber):
      return devices.filter {
        $0.vendorID == vendorID && $0.productID == productID
          && (serialNumber == nil || $0.serialNumber == serialNumber)
      }
    case .serial(let serialNumber):
      return devices.filter { $0.serialNumber == serialNumber }
    case .port(let place):
      return devices.filter { $0.placeNames.contains(place) }
    }
  }
}

extension Device {
  /// The names that the user can give its physical port.
  fileprivate var placeNames: [String] {
    guard let physicalPath else { return [] }
    var names = [physicalPath]
    if let portNumber { names.append("\(physicalPath)-port\(portNumber)") }
    // The last part, 1.0, is the configuration and interface of the device, not of the physical port.
    if vendorID != nil, let colon = physicalPath.lastIndex(of: ":") {
      names.append(String(physicalPath[..<colon]))
    }
    return names
  }
}
