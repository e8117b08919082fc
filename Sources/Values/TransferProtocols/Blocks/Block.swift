import Framing

/// A block of XMODEM and YMODEM: SOH or STX, its number, the complement of the number, 128 or 1,024
/// bytes, and a one-byte checksum or a CRC-16.
struct Block {
  /// The kind of check in a block.
  enum Check {
    /// The sum of the bytes, modulo 256.
    case sum
    case crc

    var byteCount: Int { self == .sum ? 1 : 2 }
  }

  static let short = 128
  static let long = 1_024

  /// Encodes a block for the line.
  ///
  /// - Parameters:
  ///   - contents: 1 to 1,024 bytes. Up to 128 bytes make a short block.
  ///   - padding: the byte that fills the block.
  static func encoded(
    _ contents: [UInt8], number: UInt8, check: Check, padding: UInt8 = BlockCharacter.sub
  ) -> [UInt8] {
    let size = contents.count <= short ? short : long
    var block: [UInt8] = []
    block.reserveCapacity(size + 5)
    block += [size == short ? BlockCharacter.soh : BlockCharacter.stx, number, ~number]
    block += contents
    block += repeatElement(padding, count: size - contents.count)
    switch check {
    case .sum: block.append(block[3...].reduce(0, &+))
    case .crc:
      let crc = CRC16(of: block[3...]).value
      block += [UInt8(crc >> 8), UInt8(truncatingIfNeeded: crc)]
    }
    return block
  }

  /// The number of bytes of an encoded block; nil if no block begins with this byte.
  static func byteCount(beginningWith first: UInt8, check: Check) -> Int? {
    switch first {
    case BlockCharacter.soh: 3 + short + check.byteCount
    case BlockCharacter.stx: 3 + long + check.byteCount
    default: nil
    }
  }

  /// Decodes the number and the contents of a block; nil if it is damaged.
  static func decoded(_ bytes: ArraySlice<UInt8>, check: Check) -> (
    number: UInt8, contents: ArraySlice<UInt8>
  )? {
    let start = bytes.startIndex
    guard bytes[start + 1] == ~bytes[start + 2] else { return nil }
    let contents = bytes[(start + 3)..<(bytes.endIndex - check.byteCount)]
    switch check {
    case .sum:
      guard contents.reduce(0, &+) == bytes[contents.endIndex] else { return nil }
    case .crc:
      let crc = CRC16(of: contents).value
      guard bytes[contents.endIndex] == UInt8(crc >> 8),
        bytes[contents.endIndex + 1] == UInt8(truncatingIfNeeded: crc)
      else { return nil }
    }
    return (bytes[start + 1], contents)
  }
}
