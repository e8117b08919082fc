/// Packets with Consistent Overhead Byte Stuffing, which end with a zero byte and have none within.
///
/// The format is that of S. Cheshire and M. Baker, "Consistent Overhead Byte Stuffing", IEEE/ACM Transactions
/// on Networking 7 (2), 1999: a code byte n stands for n - 1 bytes that follow it and a zero, or, if it is
/// 0xFF, for 254 bytes without a zero; the zero of the last code is not a part of the packet. Zero bytes
/// between packets are skipped.
public struct COBSFraming: FrameEncoding, Hashable {
  private var packets: DelimitedSearch

  /// - Parameter limit: The most bytes of a packet on the line, without the zero byte: those of the packet,
  ///   one more, and one more for each 254 bytes.
  /// - Precondition: `limit` is greater than 0.
  public init(limit: Int = 65_536) {
    packets = DelimitedSearch(for: .byte(0), limit: limit)
  }

  /// The most bytes of a packet on the line, without the zero byte.
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
    var place = 0
    while place < bytes.count {
      let code = Int(bytes[place])
      let next = place + code
      guard next <= bytes.count else { return nil }
      packet += bytes[(place + 1)..<next]
      if code < 0xFF, next < bytes.count { packet.append(0) }
      place = next
    }
    return packet
  }

  /// The bytes of a packet on the line, with the zero byte behind it.
  ///
  /// After 254 bytes without a zero at the end of a packet there is no code for the rest, which is empty.
  public func encode(_ packet: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0]
    bytes.reserveCapacity(packet.count + packet.count / 254 + 2)
    var codePlace = 0
    var code: UInt8 = 1
    for (index, byte) in packet.enumerated() {
      if byte != 0 {
        bytes.append(byte)
        code += 1
      }
      if byte == 0 || code == 0xFF && index + 1 < packet.count {
        bytes[codePlace] = code
        codePlace = bytes.count
        bytes.append(0)
        code = 1
      }
    }
    bytes[codePlace] = code
    bytes.append(0)
    return bytes
  }
}

extension Framing where Self == COBSFraming {
  /// Packets with Consistent Overhead Byte Stuffing; see ``COBSFraming``.
  public static func cobs(limit: Int = 65_536) -> COBSFraming { COBSFraming(limit: limit) }
}
