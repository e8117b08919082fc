/// Packets of SLIP, RFC 1055. A packet ends with END (0xC0). In a packet, ESC (0xDB) 0xDC stands
/// for END, and ESC 0xDD for ESC.
///
/// Empty packets are skipped, as the RFC recommends: many senders also begin a packet with END, so
/// that noise before it becomes a separate packet. ESC before any other byte is damage; the RFC
/// leaves this to the receiver.
public struct SLIPFraming: FrameEncoding, Hashable {
  private static let end: UInt8 = 0xC0
  private static let escape: UInt8 = 0xDB
  private static let escapedEnd: UInt8 = 0xDC
  private static let escapedEscape: UInt8 = 0xDD

  private var packets: DelimitedSearch

  /// - Parameter limit: The maximum length of an encoded packet in bytes, without END. Encoding can
  ///   double the length of a packet. The RFC recommends packets of at most 1006 bytes.
  /// - Precondition: `limit` is greater than 0.
  public init(limit: Int = 65_536) {
    packets = DelimitedSearch(for: .byte(Self.end), limit: limit)
  }

  /// The maximum length of an encoded packet in bytes, without END.
  public var limit: Int { packets.limit }

  public mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<[UInt8]> {
    bytes.withUnsafeBytes { bytes in
      packets.search(bytes, searched: searched, isEnd: isEnd).map { count, length in
        if count == 0 { return .skip(length: bytes.prefix { $0 == Self.end }.count) }
        guard let packet = Self.decoded(bytes[..<count]) else {
          return .damaged(.invalidEscape, length: length)
        }
        return .frame(packet, length: length)
      }
    }
  }

  private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>) -> [UInt8]? {
    var packet: [UInt8] = []
    packet.reserveCapacity(bytes.count)
    var isEscaped = false
    for byte in bytes {
      if isEscaped {
        switch byte {
        case escapedEnd: packet.append(end)
        case escapedEscape: packet.append(escape)
        default: return nil
        }
        isEscaped = false
      } else if byte == escape {
        isEscaped = true
      } else {
        packet.append(byte)
      }
    }
    return isEscaped ? nil : packet
  }

  /// Encodes a packet, with END before and after it. The first END separates the packet from noise.
  public func encode(_ packet: [UInt8]) -> [UInt8] {
    var bytes = [Self.end]
    bytes.reserveCapacity(packet.count + 2)
    for byte in packet {
      switch byte {
      case Self.end: bytes += [Self.escape, Self.escapedEnd]
      case Self.escape: bytes += [Self.escape, Self.escapedEscape]
      default: bytes.append(byte)
      }
    }
    bytes.append(Self.end)
    return bytes
  }
}

extension SLIPFraming {
  public func hasSameFormat(as other: SLIPFraming) -> Bool {
    limit == other.limit
  }
}

extension Framing where Self == SLIPFraming {
  /// Packets of SLIP, RFC 1055; see ``SLIPFraming``.
  public static func slip(limit: Int = 65_536) -> SLIPFraming { SLIPFraming(limit: limit) }
}
