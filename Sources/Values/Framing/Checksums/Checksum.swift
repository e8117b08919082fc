import TextTools

/// A checksum that instruments and buses append to a message.
///
/// The parameters are those of the catalogue of parametrised CRC
/// algorithms (https://reveng.sourceforge.io/crc-catalogue/all.htm).
package enum Checksum: String, CaseIterable, Hashable, Sendable {
  /// CRC-16/MODBUS: polynomial 8005, lowest bit first, initial value FFFF. The low byte is sent
  /// first ("MODBUS over Serial Line" V1.02, 2.5.1.2).
  case crc16Modbus = "crc16-modbus"
  /// CRC-16/IBM-3740, which many call CCITT-FALSE: polynomial 1021, highest bit first, initial
  /// value FFFF. The high byte is sent first.
  case crc16CCITTFalse = "crc16-ccitt-false"
  /// CRC-8/SMBUS: polynomial 07, highest bit first, initial value 0.
  case crc8
  /// All bytes, combined by exclusive or.
  case xor
  /// The lowest eight bits of the sum of all bytes.
  case sum8
  /// The two's complement of ``sum8``, so that the sum of all bytes and the checksum is 0. It is
  /// the LRC of Modbus ASCII ("MODBUS over Serial Line" V1.02, 2.5.2.2).
  case lrc
  /// CRC-32/ISO-HDLC, that of Ethernet, ZMODEM and gzip. The low byte is sent first, as in ZMODEM
  /// and gzip (RFC 1952, 2.3.1 and 2.1).
  case crc32

  /// The name that a user writes.
  package var name: String { rawValue }

  /// Parses a name.
  ///
  /// - Throws: ``ChecksumError`` that lists the names.
  package init(parsing name: String) throws(ChecksumError) {
    guard let checksum = Checksum(rawValue: name) else { throw ChecksumError(text: name) }
    self = checksum
  }

  /// Computes the checksum of a message, in the order in which its bytes are sent.
  ///
  /// - Returns: one, two or four bytes.
  package func bytes(for message: some Sequence<UInt8>) -> [UInt8] {
    switch self {
    case .crc16Modbus:
      let crc = message.reduce(into: CRC16Modbus()) { $0.update(with: $1) }.value
      return [UInt8(truncatingIfNeeded: crc), UInt8(crc >> 8)]
    case .crc16CCITTFalse:
      let crc = CRC16(of: message, initial: 0xFFFF).value
      return [UInt8(crc >> 8), UInt8(truncatingIfNeeded: crc)]
    case .crc8: return [Self.crc8(of: message)]
    case .xor: return [message.reduce(0, ^)]
    case .sum8: return [message.reduce(0, &+)]
    case .lrc: return [0 &- message.reduce(0, &+)]
    case .crc32:
      let crc = CRC32(of: message).value
      return (0..<4).map { UInt8(truncatingIfNeeded: crc >> (8 * $0)) }
    }
  }

  // Messages are short, so no tables are needed.

  /// ``crc16Modbus``, one byte after the other. It is zero after a message and its checksum.
  package struct CRC16Modbus: Hashable, Sendable {
    package private(set) var value: UInt16 = 0xFFFF

    package init() {}

    package mutating func update(with byte: UInt8) {
      value = (0..<8).reduce(value ^ UInt16(byte)) { crc, _ in
        crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xA001
      }
    }
  }

  private static func crc8(of message: some Sequence<UInt8>) -> UInt8 {
    message.reduce(0) { crc, byte in
      (0..<8).reduce(crc ^ byte) { crc, _ in crc & 0x80 == 0 ? crc << 1 : (crc << 1) ^ 0x07 }
    }
  }
}

/// A text that is not the name of a checksum.
package struct ChecksumError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let text: String

  /// The names that are expected, separated by commas.
  package static var expected: String { Checksum.allCases.map(\.name).joined(lastBy: "or") }

  /// The text and the names.
  package var description: String { "'\(text)' is not a checksum; expected \(Self.expected)" }
}
