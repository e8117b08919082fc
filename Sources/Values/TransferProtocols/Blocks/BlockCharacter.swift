/// The control characters of XMODEM and YMODEM.
enum BlockCharacter {
  /// Begins a block of 128 bytes.
  static let soh: UInt8 = 0x01
  /// Begins a block of 1,024 bytes.
  static let stx: UInt8 = 0x02
  /// Ends the file.
  static let eot: UInt8 = 0x04
  static let ack: UInt8 = 0x06
  static let backspace: UInt8 = 0x08
  static let nak: UInt8 = 0x15
  /// Cancels, if there are two in a row.
  static let can: UInt8 = 0x18
  /// Pads the last block.
  static let sub: UInt8 = 0x1A
  /// Requests blocks with CRC-16.
  static let c: UInt8 = 0x43
  /// Requests blocks with CRC-16, which the receiver does not acknowledge.
  static let g: UInt8 = 0x47
}
