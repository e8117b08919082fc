/// Packets of SLIP, RFC 1055: each ends with END (0xC0); ESC (0xDB) and a second byte stand for END and ESC
/// in it.
///
/// Empty packets are skipped, as the RFC advises: many senders begin a packet with END too, so that noise
/// before it is a packet of its own. ESC before another byte is damage, because it comes from bytes that were
/// lost or changed; the RFC leaves the choice.
public struct SLIPFraming: FrameEncoding, Hashable {
  private static let end: UInt8 = 0xC0
  private static let escape: UInt8 = 0xDB
  private static let escapedEnd: UInt8 = 0xDC
  private static let escapedEscape: UInt8 = 0xDD

  private var packets: DelimitedSearch

  /// - Parameter limit: The most bytes of a packet on the line, without END. A packet can take twice its
  ///   size there; the RFC's largest packets have 1006 bytes.
  /// - Precondition: `limit` is greater than 0.
  public init(limit: Int = 65_536) {
    packets = DelimitedSearch(for: .byte(Self.end), limit: limit)
  }

  /// The most bytes of a packet on the line, without END.
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

  /// The bytes of a packet on the line, with END before and behind it: the one before it ends what noise has
  /// begun.
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

extension Framing where Self == SLIPFraming {
  /// Packets of SLIP, RFC 1055; see ``SLIPFraming``.
  public static func slip(limit: Int = 65_536) -> SLIPFraming { SLIPFraming(limit: limit) }
}
