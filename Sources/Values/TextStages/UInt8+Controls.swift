/// Names of ASCII control characters.
extension UInt8 {
  static let null: UInt8 = 0x00
  static let bell: UInt8 = 0x07
  static let backspace: UInt8 = 0x08
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let verticalTab: UInt8 = 0x0B
  static let formFeed: UInt8 = 0x0C
  static let carriageReturn: UInt8 = 0x0D
  static let escape: UInt8 = 0x1B
  static let delete: UInt8 = 0x7F

  /// Whether it is a printable ASCII character or a space.
  var isPrintable: Bool { (0x20..<0x7F).contains(self) }
}
