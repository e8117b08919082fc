extension DeviceSelector {
  /// Parses `usb:VID:PID`, `usb:VID:PID:SERIAL`, `serial:TEXT` or `port:ID_PATH`.
  ///
  /// VID and PID are hexadecimal, with one to four digits. The rest is the serial number, including colons. Returns
  /// nil for other forms, such as paths.
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

  /// Parses hexadecimal digits. The standard library would also accept a sign and any number of zeros.
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
