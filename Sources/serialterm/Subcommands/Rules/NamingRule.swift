import DeviceWatch
import TextTools

/// A udev rule that gives one device a permanent name; see udev(7).
struct NamingRule: Hashable {
  /// The rule, one line.
  let rule: String
  /// How the rule recognises the device, as text.
  let basis: String

  /// The file for the rule. It comes after 60-serial.rules, which sets the properties that
  /// the rule needs.
  static func file(for name: NodeName) -> String { "/etc/udev/rules.d/70-\(name.text).rules" }

  /// Makes a rule.
  ///
  /// - Parameters:
  ///   - device: the device to name.
  ///   - devices: the present devices, to detect a serial number that two adapters share.
  /// - Throws: ``Failure`` if nothing permanent identifies the device.
  init(naming device: Device, _ name: NodeName, among devices: [Device]) throws(Failure) {
    let keys: [String]
    switch IdentityMatcher(for: device, among: devices).identity {
    case .usb(let function):
      basis = "serial number \((function.serialNumber ?? "").harmless), in any USB port"
      keys = Self.usbKeys(function, isBySerialNumber: true)
    case .usbPort(let function, let path):
      basis = "the USB port that it is plugged into"
      keys = Self.usbKeys(function, isBySerialNumber: false) + [Self.placeKey(path)]
    case .hardware:
      basis = "its place in the machine"
      keys = [Self.key("DEVPATH", String(device.syspath.dropFirst("/sys".count)))]
    case .node:
      throw Failure(
        .usage, "\(device.node): this port is created by software, so a udev rule cannot name it.")
    }
    let all = ["ACTION!=\"remove\"", "SUBSYSTEM==\"tty\""] + keys + ["SYMLINK+=\"\(name.text)\""]
    rule = all.joined(separator: ", ")
  }

  /// The matches for a USB device. All ATTRS in a rule must match the same parent, which is the USB
  /// device here. 60-serial.rules has set the properties of its interface and port.
  private static func usbKeys(_ function: USBFunction, isBySerialNumber: Bool) -> [String] {
    var keys = [
      key("ATTRS{idVendor}", function.vendorID.hex),
      key("ATTRS{idProduct}", function.productID.hex),
    ]
    if isBySerialNumber, let number = function.serialNumber {
      keys.append(key("ATTRS{serial}", number))
    }
    if let interface = function.interfaceNumber {
      let digits = String(interface, radix: 16)
      keys.append(key("ENV{ID_USB_INTERFACE_NUM}", digits.count < 2 ? "0\(digits)" : digits))
    }
    if let port = function.portNumber { keys.append(key("ENV{.ID_PORT}", "\(port)")) }
    return keys
  }

  /// - Parameter path: udev's ID_PATH; without one, a folder of sysfs.
  private static func placeKey(_ path: String) -> String {
    path.hasPrefix("/sys/")
      ? "DEVPATH==\"\(pattern(String(path.dropFirst("/sys".count))))/*\""
      : key("ENV{ID_PATH}", path)
  }

  private static func key(_ name: String, _ value: String) -> String {
    "\(name)==\"\(pattern(value))\""
  }

  /// A pattern that matches a text. Characters that are special in patterns, quotes or
  /// substitutions are replaced by `?`, which matches any character.
  private static func pattern(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      if !scalar.isASCII { return "*" }
      return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || " ._:+,@=/-#".unicodeScalars.contains(scalar) ? String(scalar) : "?"
    }.joined()
  }
}

extension NamingRule {
  /// The rule with instructions, as lines.
  ///
  /// - Parameter target: the TARGET that the user gave.
  func lines(for device: Device, _ name: NodeName, target: String) -> [String] {
    let file = Self.file(for: name)
    let command = "serialterm rules \(target.shellWord) --name \(name.text)"
    return [
      "# /dev/\(name.text): \(device.summary)",
      "# Recognised by \(basis).",
      "# Install: \(command) | sudo tee \(file)",
      "#          sudo udevadm control --reload && sudo udevadm trigger --name-match=\(device.node)",
      "# Undo:    sudo rm \(file) && sudo udevadm control --reload",
      rule,
    ]
  }
}
