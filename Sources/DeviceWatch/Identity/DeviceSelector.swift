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
  /// A physical port can be given in full (`pci-0000:00:14.0-usb-0:1.2:1.0`), without the
  /// interface (`pci-0000:00:14.0-usb-0:1.2`: all ports of a device), or like the links
  /// in /dev/serial/by-path (`pci-0000:00:14.0-usb-0:1.2:1.0-port0`).
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
      // Two adapters may claim one link; then its target decides. If it leads nowhere, because the
      // device has just gone, all devices that claim it match.
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
    // The last part, 1.0, is the configuration and interface of the device, not of
    // the physical port.
    if vendorID != nil, let colon = physicalPath.lastIndex(of: ":") {
      names.append(String(physicalPath[..<colon]))
    }
    return names
  }
}

extension DeviceSelector {
  /// Parses `usb:VID:PID`, `usb:VID:PID:SERIAL`, `serial:TEXT` or `port:ID_PATH`.
  ///
  /// VID and PID are hexadecimal, with one to four digits. The rest is the serial number, including
  /// colons. Returns nil for other forms, such as paths.
  ///
  /// - Throws: ``DeviceSelectorError`` if the text begins like one of the forms, but is malformed.
  public init?(parsing text: String) throws(DeviceSelectorError) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = text[colon...].dropFirst()
    switch text[..<colon] {
    case "usb":
      self = try Self.parseUSB(rest, in: text)
    case "serial":
      guard !rest.isEmpty else { throw DeviceSelectorError(.serialNumberMissing, in: text) }
      self = .serial(String(rest))
    case "port":
      guard !rest.isEmpty else { throw DeviceSelectorError(.placeMissing, in: text) }
      self = .port(String(rest))
    default:
      return nil
    }
  }

  private static func parseUSB(
    _ rest: Substring, in text: String
  ) throws(DeviceSelectorError) -> Self {
    let parts = rest.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let vendorID = number(parts[0]), let productID = number(parts[1]) else {
      throw DeviceSelectorError(.numbersExpected, in: text)
    }
    guard parts.count == 3 else { return .usb(vendorID: vendorID, productID: productID) }
    guard !parts[2].isEmpty else { throw DeviceSelectorError(.serialNumberMissing, in: text) }
    return .usb(vendorID: vendorID, productID: productID, serialNumber: String(parts[2]))
  }

  /// Parses hexadecimal digits. The standard library would also accept a sign and any
  /// number of zeros.
  private static func number(_ digits: Substring) -> UInt16? {
    (1...4).contains(digits.utf8.count) && digits.allSatisfy(\.isHexDigit)
      ? UInt16(digits, radix: 16) : nil
  }
}

extension DeviceSelector: CustomStringConvertible {
  /// The text that can be parsed again; the path for ``node(_:)``.
  public var description: String {
    switch self {
    case .node(let path): "\(path)"
    case .usb(let vendorID, let productID, let serialNumber):
      "usb:\(Self.text(vendorID)):\(Self.text(productID))"
        + (serialNumber.map { ":\($0)" } ?? "")
    case .serial(let serialNumber): "serial:\(serialNumber)"
    case .port(let place): "port:\(place)"
    }
  }

  /// Four digits, in the style of lsusb(8).
  private static func text(_ number: UInt16) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}

/// The error of a malformed device selector.
public struct DeviceSelectorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason.
  public let code: Code
  /// The text.
  public let text: String

  /// The reasons.
  public enum Code: Hashable, Sendable {
    /// `usb:` is not followed by two hexadecimal numbers of at most four digits.
    case numbersExpected
    /// There is no serial number after the last colon.
    case serialNumberMissing
    /// There is no text after `port:`.
    case placeMissing
  }

  init(_ code: Code, in text: String) {
    self.code = code
    self.text = text
  }

  /// The reason, and the expected form.
  public var description: String {
    switch code {
    case .numbersExpected:
      "'\(text)': expected usb:VID:PID or usb:VID:PID:SERIAL, with VID and PID of up to four "
        + "hexadecimal digits, as in usb:0403:6001"
    case .serialNumberMissing: "'\(text)': a serial number is missing after the last colon"
    case .placeMissing:
      "'\(text)': expected port:ID_PATH, as in port:pci-0000:00:14.0-usb-0:1.2:1.0"
    }
  }
}
