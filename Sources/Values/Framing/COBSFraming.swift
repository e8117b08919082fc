/// Packets with Consistent Overhead Byte Stuffing. A packet ends with a zero byte and
/// contains no other.
///
/// Source: S. Cheshire and M. Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions on
/// Networking 7 (2),
/// 1999. A code byte n is followed by n - 1 bytes, and stands for these bytes and a zero. The code
///       0xFF stands for 254 bytes without a zero. The zero of the last code is not part of the
///       packet. Zero bytes between packets are skipped.
public struct COBSFraming: FrameEncoding, Hashable {
  private var packets: DelimitedSearch

  /// - Parameter limit: The maximum length of an encoded packet in bytes, without the zero byte.
  ///   Encoding adds one byte, and one for each 254 bytes.
  /// - Precondition: `limit` is greater than 0.
  public init(limit: Int = 65_536) {
    packets = DelimitedSearch(for: .byte(0), limit: limit)
  }

  /// The maximum length of an encoded packet in bytes, without the zero byte.
  public var limit: Int { packets.limit }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    bytes.withUnsafeBytes { bytes in
      packets.search(bytes, searched: searched, isEnd: isEnd).map { count, length in
        if count == 0 { return .skip(length: bytes.prefix { $0 == 0 }.count) }
        guard let packet = Self.decoded(UnsafeRawBufferPointer(rebasing: bytes[..<count])) else {
          return .damaged(.codeBeyondEnd, length: length)
        }
        return .frame(packet, length: length)
      }
    }
  }

  private static func decoded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var packet: [UInt8] = []
    packet.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let code = Int(bytes[index])
      let next = index + code
      // A zero is no code, but a delimiter.
      guard code > 0, next <= bytes.count else { return nil }
      packet += bytes[(index + 1)..<next]
      if code < 0xFF, next < bytes.count { packet.append(0) }
      index = next
    }
    return packet
  }

  /// Encodes a packet, with the zero byte after it.
  ///
  /// If the packet ends with 254 bytes without a zero, no code for an empty rest follows.
  public func encode(_ packet: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0]
    bytes.reserveCapacity(packet.count + packet.count / 254 + 2)
    var codeIndex = 0
    var code: UInt8 = 1
    for (index, byte) in packet.enumerated() {
      if byte != 0 {
        bytes.append(byte)
        code += 1
      }
      if byte == 0 || code == 0xFF && index + 1 < packet.count {
        bytes[codeIndex] = code
        codeIndex = bytes.count
        bytes.append(0)
        code = 1
      }
    }
    bytes[codeIndex] = code
    bytes.append(0)
    return bytes
  }
}

extension COBSFraming {
  public func hasSameFormat(as other: COBSFraming) -> Bool {
    limit == other.limit
  }
}

extension Framing where Self == COBSFraming {
  /// Packets with Consistent Overhead Byte Stuffing; see ``COBSFraming``.
  public static func cobs(limit: Int = 65_536) -> COBSFraming { COBSFraming(limit: limit) }
}
