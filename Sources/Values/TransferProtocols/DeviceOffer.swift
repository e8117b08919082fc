/// A file transfer that a program on the device offers or requests.
public enum DeviceOffer: Hashable, Sendable {
  /// The program sends files by ZMODEM, and waits for a receiver.
  case zmodemSender
  /// The program receives files by ZMODEM, and waits for a sender.
  case zmodemReceiver
  /// The program receives by XMODEM or YMODEM, and requests blocks with a CRC, which it acknowledges.
  case blockReceiver
  /// The program receives by YMODEM-g, and requests blocks that it does not acknowledge.
  case streamReceiver
  /// The program receives by XMODEM, and requests blocks with a checksum.
  case checksumReceiver
}

/// Detects in the bytes of a device that a program offers or requests a file.
///
/// - ZMODEM: a complete hexadecimal header with the right CRC (ZRQINIT or ZRINIT). Text that only begins like a
///   header does not count.
/// - XMODEM and YMODEM: the letter C or G, or NAK, twice. Each must arrive alone, and a while after any other byte.
///
/// An offer ends when any other byte arrives.
public struct OfferDetector: Sendable {
  /// The offer; nil if there is none.
  public private(set) var offer: DeviceOffer?
  /// The last bytes, if they may be the beginning of a header.
  private var tail: [UInt8] = []
  private var lastTime: Duration?
  /// A character that arrived alone, and must be repeated.
  private var candidate: UInt8?

  /// The length of `**`, ZDLE, `B`, the type and four bytes in hexadecimal digits, and the CRC.
  private static let headerLength = 20
  /// The number of the last bytes of a piece that are examined.
  private static let examinedLength = 128
  private static let start: [UInt8] = [0x2A, 0x2A, 0x18, 0x42]
  /// The bytes after a header: CR, LF and XON, with any highest bit.
  private static let headerEnd: Set<UInt8> = [0x0D, 0x8D, 0x0A, 0x8A, 0x11, 0x91]
  /// The minimum time before a receiver repeats its request.
  private static let pause = Duration.milliseconds(700)

  public init() {}

  /// Adds bytes of the device.
  public mutating func take(_ bytes: UnsafeRawBufferPointer, at now: Duration) {
    guard !bytes.isEmpty else { return }
    let isAfterPause = lastTime.map { now - $0 >= Self.pause } ?? true
    lastTime = now
    if bytes.count <= 2, isAfterPause, let request = Self.request(bytes) {
      offer = candidate == bytes[0] ? request : nil
      candidate = bytes[0]
      tail = []
      return
    }
    candidate = nil
    // Most text contains no ZDLE. Earlier bytes than these cannot belong to the last header.
    if tail.isEmpty, offer == nil, !bytes.suffix(Self.examinedLength).contains(Self.start[2]),
      !Self.start.starts(with: bytes.suffix(1))
    {
      return
    }
    look(bytes, at: now)
  }

  /// Discards the bytes so far, because the port was lost or a transfer has begun.
  public mutating func reset() { self = OfferDetector() }

  private static func request(_ bytes: UnsafeRawBufferPointer) -> DeviceOffer? {
    guard bytes.allSatisfy({ $0 == bytes[0] }) else { return nil }
    return switch bytes[0] {
    case BlockCharacter.c: .blockReceiver
    case BlockCharacter.g: .streamReceiver
    case BlockCharacter.nak: .checksumReceiver
    default: nil
    }
  }

  private mutating func look(_ bytes: UnsafeRawBufferPointer, at now: Duration) {
    // Only the last header can be an offer: later bytes end it.
    let text = tail + bytes.suffix(Self.examinedLength)
    tail = Array(text.suffix(Self.headerLength + 2))
    guard let place = Self.lastHeader(in: text) else {
      if !bytes.allSatisfy({ Self.headerEnd.contains($0) }) { offer = nil }
      if !tail.contains(Self.start[0]), offer == nil { tail = [] }
      return
    }
    let rest = text[(place + Self.headerLength)...]
    offer =
      rest.allSatisfy { Self.headerEnd.contains($0) } ? Self.offer(of: text[(place + 4)...]) : nil
  }

  private static func lastHeader(in text: [UInt8]) -> Int? {
    guard text.count >= headerLength else { return nil }
    return (0...(text.count - headerLength)).last { place in
      text[place...].starts(with: start) && offer(of: text[(place + 4)...]) != nil
    }
  }

  /// The offer in the digits of a header; nil if the header is damaged, or is another one.
  private static func offer(of digits: ArraySlice<UInt8>) -> DeviceOffer? {
    var bytes: [UInt8] = []
    var rest = digits.prefix(14)
    while rest.count >= 2 {
      guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    // The CRC of a header followed by its own CRC is 0.
    guard bytes.count == 7, CRC16(of: bytes).value == 0 else { return nil }
    return switch bytes[0] {
    case 0: .zmodemSender
    case 1: .zmodemReceiver
    default: nil
    }
  }
}
