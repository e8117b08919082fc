public import SystemPackage

/// The identity that recognises a device when it returns, at any node.
///
/// It contains only data that identify the device with certainty, so that the device is recognised
/// after as many kinds of moves as possible. A look-alike never matches. For adapters that share a
/// serial number see ``IdentityMatcher``.
public enum DeviceIdentity: Hashable, Sendable {
  /// A USB adapter with a unique serial number, at any port.
  case usb(USBFunction)
  /// A USB adapter without a unique serial number: the same type of adapter at the same physical
  /// port, as in ``Device/physicalPath``.
  case usbPort(USBFunction, path: String)
  /// A UART of the computer, by ``Device/hardwarePath``.
  case hardware(path: String)
  /// A device without other data, by its node.
  case node(FilePath)
}

/// One serial port of a USB adapter, as the adapter describes it.
public struct USBFunction: Hashable, Sendable {
  /// The vendor, for example 0x0403.
  public let vendorID: UInt16
  /// The product, for example 0x6001.
  public let productID: UInt16
  /// The serial number, whether or not it is unique.
  public let serialNumber: String?
  /// The interface, from 0.
  public let interfaceNumber: Int?
  /// The port on that interface, from 0; nil if the interface has only one.
  public let portNumber: Int?

  /// The function of a device; nil if it is not a USB device.
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
  /// The identity of the device by its own data. Another adapter may have the same serial number.
  public var identity: DeviceIdentity {
    guard let function = USBFunction(self), let serialNumber,
      SerialNumber.isDistinctive(serialNumber)
    else { return identityByPlace }
    return .usb(function)
  }

  /// The identity of the device without its serial number.
  var identityByPlace: DeviceIdentity {
    if let function = USBFunction(self), let path = physicalPath ?? hardwarePath {
      return .usbPort(function, path: path)
    }
    return hardwarePath.map { .hardware(path: $0) } ?? .node(node)
  }
}

extension DeviceIdentity {
  /// Whether this is the identity of a device.
  public func describes(_ device: Device) -> Bool {
    switch self {
    case .usb(let function): USBFunction(device) == function
    // A device with a serial number also matches by its physical port.
    case .usbPort, .hardware, .node: device.identityByPlace == self
    }
  }

  /// Searches for the device with this identity.
  ///
  /// - Parameter devices: the present devices.
  public func match(among devices: [Device]) -> IdentityMatch {
    let matches = devices.filter(describes)
    return switch matches.count {
    case 0: .none
    case 1: .one(matches[0])
    default: .ambiguous(matches)
    }
  }
}

/// The result of a search for one device.
public enum IdentityMatch: Hashable, Sendable {
  /// The device is present.
  case one(Device)
  /// The device is absent.
  case none
  /// At least two devices match, in the given order. Only the user can tell which one it is.
  case ambiguous([Device])
}
