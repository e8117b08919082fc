import Posix
public import SystemPackage

/// How a person says which device is meant.
public enum DeviceSelector: Hashable, Sendable {
  /// The device behind a node, or behind a symbolic link to one.
  case node(FilePath)
  /// USB adapters of a kind, and the one with that serial number if one is given.
  case usb(vendorID: UInt16, productID: UInt16, serialNumber: String? = nil)
  /// USB adapters with that serial number.
  case serial(String)
  /// Whatever is plugged in at that place; see ``matches(among:)`` for what may be said.
  case port(String)
}

extension DeviceSelector {
  /// Whether it names a place, and means whatever is plugged in there.
  public var isPlace: Bool {
    switch self {
    case .port: true
    case .node, .usb, .serial: false
    }
  }

  /// The devices that are meant, in the order in which they were given.
  ///
  /// A place may be said in full (`pci-0000:00:14.0-usb-0:1.2:1.0`), without the interface
  /// (`pci-0000:00:14.0-usb-0:1.2`: all of a device's ports), or as the links in
  /// /dev/serial/by-path are called (`pci-0000:00:14.0-usb-0:1.2:1.0-port0`).
  ///
  /// - Parameter devices: what there is.
  public func matches(among devices: [Device]) -> [Device] {
    matches(among: devices) { $0.realPath }
  }

  /// The same for any file system.
  ///
  /// - Parameters:
  ///   - devices: what there is.
  ///   - resolve: where a path leads when every symbolic link is followed, or nil if nowhere.
  public func matches(
    among devices: [Device], resolving resolve: (FilePath) -> FilePath?
  ) -> [Device] {
    switch self {
    case .node(let path):
      // Two adapters may claim one link; where it leads decides. When it leads nowhere, because the
      // device has just gone, those who claimed it are meant.
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
  /// What a person may call the place that it is plugged in at.
  fileprivate var placeNames: [String] {
    guard let physicalPath else { return [] }
    var names = [physicalPath]
    if let portNumber { names.append("\(physicalPath)-port\(portNumber)") }
    // The last piece, 1.0, is the device's configuration and interface, and no part of the place.
    if vendorID != nil, let colon = physicalPath.lastIndex(of: ":") {
      names.append(String(physicalPath[..<colon]))
    }
    return names
  }
}
