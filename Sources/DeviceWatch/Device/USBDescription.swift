import SystemPackage

/// The data that a USB adapter reports about itself.
struct USBDescription {
  let vendorID: UInt16?
  let productID: UInt16?
  let serialNumber: String?
  let manufacturer: String?
  let product: String?
  let interfaceNumber: Int?
  let portNumber: Int?

  init(_ record: PortRecord) {
    let ports = record.ancestors.first { $0.subsystem == "usb-serial" }?.attributes
    let interface = record.ancestors.first { $0.type == "usb_interface" }?.attributes
    let number = interface?["bInterfaceNumber"] ?? record.properties["ID_USB_INTERFACE_NUM"]
    // Both numbers are hexadecimal; port_number is decimal.
    interfaceNumber = number.flatMap { Int($0, radix: 16) }
    portNumber = (ports?["port_number"]).flatMap { Int($0) } ?? Self.portNumber(in: record.links)

    // If the adapter is already gone, its hub is found instead. The interface between them shows
    // which device belongs to the port.
    if interface != nil,
      let device = record.ancestors.first(where: { $0.type == "usb_device" })?.attributes,
      device["idVendor"] != nil
    {
      vendorID = device["idVendor"].flatMap { UInt16($0, radix: 16) }
      productID = device["idProduct"].flatMap { UInt16($0, radix: 16) }
      serialNumber = device["serial"].flatMap(Self.text)
      manufacturer = device["manufacturer"].flatMap(Self.text)
      product = device["product"].flatMap(Self.text)
    } else {
      let properties = record.properties["ID_BUS"] == "usb" ? record.properties : [:]
      vendorID = properties["ID_VENDOR_ID"].flatMap { UInt16($0, radix: 16) }
      productID = properties["ID_MODEL_ID"].flatMap { UInt16($0, radix: 16) }
      serialNumber = properties["ID_SERIAL_SHORT"].flatMap(Self.text)
      manufacturer = Self.name("ID_VENDOR", in: properties)
      product = Self.name("ID_MODEL", in: properties)
    }
  }

  /// The number at the end of a link's name. udev appends it for drivers that number their
  /// ports: see 60-serial.rules.
  private static func portNumber(in links: [FilePath]) -> Int? {
    for link in links {
      let words = (link.lastComponent?.string ?? "").split(separator: "-")
      if let word = words.last, words.count > 1, word.hasPrefix("port") {
        return Int(word.dropFirst(4))
      }
    }
    return nil
  }

  /// A name from udev's properties. For a device without a name udev stores its number there.
  private static func name(_ key: String, in properties: [String: String]) -> String? {
    let encoded = properties["\(key)_ENC"].map(decode(udevEncoded:))
    guard let name = encoded ?? properties[key], name != properties["\(key)_ID"] else { return nil }
    return text(name)
  }

  /// The text without the spaces that some devices add; nil if it is empty.
  private static func text(_ raw: String) -> String? {
    func isBlank(_ character: Character) -> Bool { character.isWhitespace || character == "\0" }
    guard let first = raw.firstIndex(where: { !isBlank($0) }),
      let last = raw.lastIndex(where: { !isBlank($0) })
    else { return nil }
    return String(raw[first...last])
  }

  /// Decodes udev's escapes, such as `\x20` for a space; see `udev_util_encode_string`.
  static func decode(udevEncoded text: String) -> String {
    var rest = Substring(text).utf8
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      let digits = rest.dropFirst().prefix(2)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"), digits.count == 2,
        let value = UInt8(Substring(digits), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
