/// A CRC-16 of polynomial 1021, highest bit first, not inverted.
///
/// With the initial value 0 it is that of XMODEM and ZMODEM, CRC-16/XMODEM; with FFFF it is the one
/// that many call CCITT-FALSE, CRC-16/IBM-3740.
package struct CRC16: Hashable, Sendable {
  package private(set) var value: UInt16

  /// Creates the CRC of no bytes.
  package init(initial value: UInt16 = 0) { self.value = value }

  /// Computes the CRC of bytes.
  package init(of bytes: some Sequence<UInt8>, initial value: UInt16 = 0) {
    self.init(initial: value)
    update(with: bytes)
  }

  @inline(__always)
  package mutating func update(with byte: UInt8) {
    value = (value << 8) ^ Self.tables[Int(UInt8(truncatingIfNeeded: value >> 8) ^ byte)]
  }

  package mutating func update(with bytes: some Sequence<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ update(with: UnsafeRawBufferPointer($0)) }) == nil {
      for byte in bytes { update(with: byte) }
    }
  }

  /// Adds bytes, eight at a time.
  package mutating func update(with bytes: UnsafeRawBufferPointer) {
    var crc = value
    Self.tables.withUnsafeBufferPointer { tables in
      let table = tables.baseAddress!
      var index = 0
      while index + 8 <= bytes.count {
        let word = UInt64(
          bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let mixed = word ^ (UInt64(crc) << 48)
        var next: UInt16 = 0
        for place in 0..<8 {
          next ^= table[place << 8 | Int(UInt8(truncatingIfNeeded: mixed >> (8 * UInt64(place))))]
        }
        crc = next
        index += 8
      }
      while index < bytes.count {
        crc = (crc << 8) ^ table[Int(UInt8(truncatingIfNeeded: crc >> 8) ^ bytes[index])]
        index += 1
      }
    }
    value = crc
  }

  /// Eight tables with 256 entries: the CRC of a byte followed by 0 to 7 zero bytes.
  private static let tables: [UInt16] = {
    var tables: [UInt16] = (0..<256).map { index in
      (0..<8).reduce(UInt16(index) << 8) { crc, _ in
        crc & 0x8000 == 0 ? crc << 1 : (crc << 1) ^ 0x1021
      }
    }
    for index in 256..<(8 * 256) {
      let crc = tables[index - 256]
      tables.append((crc << 8) ^ tables[Int(crc >> 8)])
    }
    return tables
  }()
}

/// The CRC-32 of ZMODEM, Ethernet and ISO 3309: polynomial 04C11DB7, lowest bit first, inverted at
/// the start and the end.
package struct CRC32: Hashable, Sendable {
  private var state: UInt32 = 0xFFFF_FFFF

  package init() {}

  /// Computes the CRC of bytes.
  package init(of bytes: some Sequence<UInt8>) { update(with: bytes) }

  /// The CRC of the bytes so far.
  package var value: UInt32 { ~state }

  @inline(__always)
  package mutating func update(with byte: UInt8) {
    state = (state >> 8) ^ Self.tables[Int(UInt8(truncatingIfNeeded: state) ^ byte)]
  }

  package mutating func update(with bytes: some Sequence<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ update(with: UnsafeRawBufferPointer($0)) }) == nil {
      for byte in bytes { update(with: byte) }
    }
  }

  /// Adds bytes, sixteen at a time.
  package mutating func update(with bytes: UnsafeRawBufferPointer) {
    var crc = state
    Self.tables.withUnsafeBufferPointer { tables in
      let table = tables.baseAddress!
      @inline(__always)
      func look(_ place: Int, _ byte: UInt64) -> UInt32 {
        table[place << 8 | Int(UInt8(truncatingIfNeeded: byte))]
      }
      var index = 0
      while index + 16 <= bytes.count {
        let low =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
          ^ UInt64(crc)
        let high = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self))
        let first = look(15, low) ^ look(14, low >> 8) ^ look(13, low >> 16) ^ look(12, low >> 24)
        let second =
          look(11, low >> 32) ^ look(10, low >> 40) ^ look(9, low >> 48) ^ look(8, low >> 56)
        let third = look(7, high) ^ look(6, high >> 8) ^ look(5, high >> 16) ^ look(4, high >> 24)
        let fourth =
          look(3, high >> 32) ^ look(2, high >> 40) ^ look(1, high >> 48) ^ look(0, high >> 56)
        crc = first ^ second ^ third ^ fourth
        index += 16
      }
      while index < bytes.count {
        crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
        index += 1
      }
    }
    state = crc
  }

  /// Sixteen tables with 256 entries: the CRC of a byte followed by 0 to 15 zero bytes.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = (0..<256).map { index in
      (0..<8).reduce(UInt32(index)) { crc, _ in
        crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320
      }
    }
    for index in 256..<(16 * 256) {
      let crc = tables[index - 256]
      tables.append((crc >> 8) ^ tables[Int(UInt8(truncatingIfNeeded: crc))])
    }
    return tables
  }()
}
