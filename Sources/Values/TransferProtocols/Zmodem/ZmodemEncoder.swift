import Framing

/// Encodes ZMODEM headers and data subpackets.
///
/// Bytes that a line or a network may interpret are escaped: ZDLE, 10, 11 and 13 with any parity,
/// and a CR after an `@` (Telenet's command escape). With ``escapesControls``, all bytes from 00 to
/// 1F and from 80 to 9F are escaped. The specification defines no escape for other bytes except 7F
/// and FF, so a receiver's request for escaped 8-bit characters (ESC8) cannot be fulfilled. It is
/// ignored, as other senders do.
struct ZmodemEncoder {
  /// Whether data subpackets and their headers have a CRC-32.
  var usesCRC32 = false
  /// Whether all control characters are escaped.
  var escapesControls = false
  /// The encoded bytes. Remove them with ``flush()``.
  private var output: [UInt8] = []

  /// A hex header. CR and LF follow it, and XON except after ZACK and ZFIN.
  static func hex(_ header: ZmodemHeader) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    let bytes = header.bytes
    let crc = CRC16(of: bytes).value
    var text: [UInt8] = [
      ZmodemCharacter.pad, ZmodemCharacter.pad, ZmodemCharacter.escape, ZmodemCharacter.hex,
    ]
    for byte in bytes + [UInt8(crc >> 8), UInt8(truncatingIfNeeded: crc)] {
      text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    text += "\r\n".utf8
    if header.frame != .zack, header.frame != .zfin { text.append(ZmodemCharacter.xon) }
    return text
  }

  /// Removes and returns the encoded bytes.
  mutating func flush() -> [UInt8] {
    let taken = output
    output = []
    return taken
  }

  /// Reserves space for data.
  ///
  /// - Parameter count: the number of bytes before escaping.
  mutating func reserve(_ count: Int) {
    // Enough for random bytes, with a margin.
    output.reserveCapacity(output.count + count + count / 16 + 64)
  }

  /// Appends bytes unchanged.
  mutating func append(raw bytes: [UInt8]) { output += bytes }

  /// Appends a binary header.
  mutating func append(_ header: ZmodemHeader) {
    output += [
      ZmodemCharacter.pad, ZmodemCharacter.escape,
      usesCRC32 ? ZmodemCharacter.binary32 : ZmodemCharacter.binary,
    ]
    header.bytes.withUnsafeBytes { append($0, closedBy: nil) }
  }

  /// Appends a data subpacket.
  mutating func append(_ data: UnsafeRawBufferPointer, end: ZmodemEnd) {
    append(data, closedBy: end.rawValue)
  }

  /// Appends a data subpacket.
  mutating func append(_ data: [UInt8], end: ZmodemEnd) {
    data.withUnsafeBytes { append($0, end: end) }
  }

  /// Appends bytes, the character that closes them, and the CRC of both.
  private mutating func append(_ data: UnsafeRawBufferPointer, closedBy end: UInt8?) {
    let previous = output.last ?? 0
    // Room for each byte with its escape, and for a whole word after them.
    withUnsafeTemporaryAllocation(byteCount: 2 * data.count + 32, alignment: 8) { space in
      guard let start = space.baseAddress else { return }
      var writer = Writer(start: start, previous: previous, escapesControls: escapesControls)
      writer.write(data)
      if let end {
        writer.writeRaw(ZmodemCharacter.escape)
        writer.writeRaw(end)
      }
      // The CRC-16 is sent high byte first, the CRC-32 low byte first.
      if usesCRC32 {
        var crc = CRC32()
        crc.update(with: data)
        if let end { crc.update(with: end) }
        for place in 0..<4 { writer.write(UInt8(truncatingIfNeeded: crc.value >> (8 * place))) }
      } else {
        var crc = CRC16()
        crc.update(with: data)
        if let end { crc.update(with: end) }
        writer.write(UInt8(crc.value >> 8))
        writer.write(UInt8(truncatingIfNeeded: crc.value))
      }
      output.append(contentsOf: writer.written)
    }
  }
}

/// Writes escaped bytes to memory with room for two bytes for each, and for a word of
/// eight bytes more.
private struct Writer {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080
  /// The control characters that are escaped, with a bit for each: 10, 11, 13, 18, and from bit 32
  /// on 90, 91, 93.
  private static let escaped: UInt64 = 0x000B_0000_010B_0000

  private let start: UnsafeMutableRawPointer
  private let escapesControls: Bool
  /// The number of written bytes, including the one before them.
  private var count = 0

  /// - Parameter previous: the byte that is sent before. It is stored first.
  init(start: UnsafeMutableRawPointer, previous: UInt8, escapesControls: Bool) {
    self.start = start
    self.escapesControls = escapesControls
    writeRaw(previous)
  }

  /// The written bytes.
  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start + 1, count: count - 1) }

  /// Writes a byte unchanged.
  @inline(__always)
  mutating func writeRaw(_ byte: UInt8) {
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  /// Writes a byte, escaped if necessary.
  @inline(__always)
  mutating func write(_ byte: UInt8) {
    if byte & 0x60 == 0 { writeControl(byte) } else { writeRaw(byte) }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    if escapesControls {
      write(bytes, escapingControls: true)
    } else {
      write(bytes, escapingControls: false)
    }
  }

  /// Copies words of eight bytes before they are examined.
  @inline(__always)
  private mutating func write(_ bytes: UnsafeRawBufferPointer, escapingControls: Bool) {
    guard let source = bytes.baseAddress else { return }
    let start = start
    var (read, written) = (0, count)
    while read + 8 <= bytes.count {
      let word = UInt64(littleEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self))
      start.storeBytes(of: word.littleEndian, toByteOffset: written, as: UInt64.self)
      // The high bit of each byte that may need an escape. In these differences, no byte borrows
      // from the next one.
      let hits: UInt64
      if escapingControls {
        hits = (Self.highs &- (word & (Self.ones &* 0x60))) & Self.highs
      } else {
        // 10 to 13, 18 and 0D, with any parity.
        let low = word & (Self.ones &* 0x7F)
        hits =
          ((Self.highs &- ((word & (Self.ones &* 0x7C)) ^ (Self.ones &* 0x10)))
            | (Self.highs &- (low ^ (Self.ones &* 0x18)))
            | (Self.highs &- (low ^ (Self.ones &* 0x0D)))) & Self.highs
      }
      guard hits != 0 else {
        read &+= 8
        written &+= 8
        continue
      }
      let place = hits.trailingZeroBitCount
      written &+= place >> 3
      read &+= place >> 3 &+ 1
      let byte = UInt8(truncatingIfNeeded: word >> UInt64(place & 0x38))
      written &+= Self.storeControl(byte, at: start + written, escapingControls: escapingControls)
    }
    count = written
    while read < bytes.count {
      write(source.load(fromByteOffset: read, as: UInt8.self))
      read += 1
    }
  }

  /// Writes a control character, or one with the eighth bit set.
  private mutating func writeControl(_ byte: UInt8) {
    count += Self.storeControl(byte, at: start + count, escapingControls: escapesControls)
  }

  /// Stores a control character after another byte.
  ///
  /// - Returns: the number of stored bytes.
  @inline(__always)
  private static func storeControl(
    _ byte: UInt8, at place: UnsafeMutableRawPointer, escapingControls: Bool
  ) -> Int {
    var needsEscape = 1
    if !escapingControls {
      needsEscape = Int(escaped >> (UInt64(byte & 0x1F) | UInt64(byte & 0x80) >> 2)) & 1
      if byte & 0x7F == 0x0D, place.load(fromByteOffset: -1, as: UInt8.self) & 0x7F == 0x40 {
        needsEscape = 1
      }
    }
    // Written without a branch, which would often be mispredicted.
    place.storeBytes(of: ZmodemCharacter.escape, as: UInt8.self)
    place.storeBytes(
      of: byte ^ UInt8(truncatingIfNeeded: needsEscape << 6), toByteOffset: needsEscape,
      as: UInt8.self)
    return 1 + needsEscape
  }
}
