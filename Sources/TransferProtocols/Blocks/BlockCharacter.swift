/// The control characters of XMODEM and YMODEM.
enum BlockCharacter {
  /// A block of 128 bytes begins.
  static let soh: UInt8 = 0x01
  /// A block of 1,024 bytes begins.
  static let stx: UInt8 = 0x02
  /// The file has ended.
  static let eot: UInt8 = 0x04
  static let ack: UInt8 = 0x06
  static let backspace: UInt8 = 0x08
  static let nak: UInt8 = 0x15
  /// Two of them in a row cancel.
  static let can: UInt8 = 0x18
  /// Fills the last block.
  static let sub: UInt8 = 0x1A
  /// The receiver asks for blocks with CRC-16.
  static let c: UInt8 = 0x43
  /// The receiver asks for blocks with CRC-16, which it does not acknowledge.
  static let g: UInt8 = 0x47
}

/// What cancels a transfer: more CANs than any receiver needs, and backspaces that take away those which
/// a shell has got as text.
let cancelSequence =
  [UInt8](repeating: BlockCharacter.can, count: 8)
  + [UInt8](repeating: BlockCharacter.backspace, count: 10)
