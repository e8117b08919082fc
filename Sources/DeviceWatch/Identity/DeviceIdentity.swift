public import SystemPackage

/// What a device is recognised by when it comes back, wherever its node is then.
///
/// As little as tells it apart for certain: the less is compared, the more of its moves it is
/// followed through. A look-alike is never taken for it; see ``IdentityMatcher`` for adapters that
/// share a serial number.
public enum DeviceIdentity: Hashable, Sendable {
  /// A USB adapter with a serial number of its own, in whatever port.
  case usb(USBFunction)
  /// A USB adapter without one: the same kind of adapter in the same physical port, as in
  /// ``Device/physicalPath``.
  case usbPort(USBFunction, path: String)
  /// A UART of the machine, by ``Device/hardwarePath``.
  case hardware(path: String)
  /// A device of which nothing else is known, by its node.
  case node(FilePath)
}

/// One serial port of a USB adapter, as the adapter describes itself.
public struct USBFunction: Hashable, Sendable {
  /// The vendor, for example 0x0403.
  public let vendorID: UInt16
  /// The product, for example 0x6001.
  public let productID: UInt16
  /// The serial number, whether or not it is anybody's own.
  public let serialNumber: String?
  /// The interface, from 0.
  public let interfaceNumber: Int?
  /// The port on that interface, from 0; nil where an interface has but one.
  public let portNumber: Int?

  /// Describes a device's function, or is nil if it is no USB device.
  public init?(_ device: Device) {
    guard let vendorID = device.vendorID, let productID = device.productID else { return nil }
    self.vendorID = vendorID
    self.productID = productID
    serialNumber = device.serialNumber
    interfaceNumber = device.interfaceNumber
    portNumber = device.portNumber
  }
}

extension Device {
  /// What it is recognised by, as far as it alone can tell: another adapter may have been given the
  /// same serial number.
  public var identity: DeviceIdentity {
    guard let function = USBFunction(self), let serialNumber,
      SerialNumber.isDistinctive(serialNumber)
    else { return identityByPlace }
    return .usb(function)
  }

  /// What it is recognised by if its serial number does not count.
  var identityByPlace: DeviceIdentity {
    if let function = USBFunction(self), let path = physicalPath ?? hardwarePath {
      return .usbPort(function, path: path)
    }
    return hardwarePath.map { .hardware(path: $0) } ?? .node(node)
  }
}

extension DeviceIdentity {
  /// Whether this is what a device is recognised by.
  public func describes(_ device: Device) -> Bool {
    switch self {
    case .usb(let function): USBFunction(device) == function
    // What else it may be recognised by, a device at this place is at this place.
    case .usbPort, .hardware, .node: device.identityByPlace == self
    }
  }

  /// Looks for the device that this describes.
  ///
  /// - Parameter devices: what there is now.
  public func match(among devices: [Device]) -> IdentityMatch {
    let matches = devices.filter(describes)
    return switch matches.count {
    case 0: .none
    case 1: .one(matches[0])
    default: .ambiguous(matches)
    }
  }
}

/// What a search for one device found.
public enum IdentityMatch: Hashable, Sendable {
  /// It is there.
  case one(Device)
  /// It is not there.
  case none
  /// Several might be it, at least two, in the order in which they were given. Nothing but a person
  /// can tell.
  case ambiguous([Device])
}
