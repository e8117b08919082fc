/// What the program on the device waits for.
public enum DeviceOffer: Hashable, Sendable {
  /// It sends files by ZMODEM, and waits for a receiver.
  case zmodemSender
  /// It receives files by ZMODEM, and waits for a sender.
  case zmodemReceiver
  /// It receives by XMODEM or YMODEM, and asks for blocks with a CRC, which it acknowledges.
  case blockReceiver
  /// It receives by YMODEM-g, and asks for blocks that it does not acknowledge.
  case streamReceiver
  /// It receives by XMODEM, and asks for blocks with a checksum.
  case checksumReceiver
}

/// Notices in the text of a device that a program there offers a file, or asks for one.
///
/// - ZMODEM: a whole hexadecimal header with the right CRC (ZRQINIT or ZRINIT). Text that only begins like it
///   is none.
/// - XMODEM and YMODEM: the same letter C or G, or NAK, twice, each alone and a while after what came before.
///
/// An offer ends when anything else comes.
public struct OfferDetector: Sendable {
  /// The offer; nil if there is none.
  public private(set) var offer: DeviceOffer?
  /// The last bytes, if a header may have begun in them.
  private var tail: [UInt8] = []
  private var lastTime: Duration?
  /// A character that came alone, and has to come again.
  private var candidate: UInt8?

  /// `**`, ZDLE, `B`, the type and four bytes in hexadecimal digits, and the CRC.
  private static let headerLength = 20
  private static let start: [UInt8] = [0x2A, 0x2A, 0x18, 0x42]
  /// What follows a header: CR, LF, XON; with or without the highest bit.
  private static let headerEnd: Set<UInt8> = [0x0D, 0x8D, 0x0A, 0x8A, 0x11, 0x91]
  /// How long a receiver waits before it asks again, at least.
  private static let pause = Duration.milliseconds(700)

  public init() {}

  /// Takes what the device sent.
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
    // Most text has no ZDLE.
    if tail.isEmpty, offer == nil, !bytes.contains(Self.start[2]),
      !Self.start.starts(with: bytes.suffix(1))
    {
      return
    }
    look(bytes, at: now)
  }

  /// Forgets what came: the port was lost, or a transfer has begun.
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
    // Only the last header can be an offer: what follows ends it.
    let text = tail + bytes.suffix(128)
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

  /// The offer of a header after its start; nil if it is damaged, or another header.
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
    // With its own CRC behind it, the CRC of every header is 0.
    guard bytes.count == 7, CRC16(of: bytes).value == 0 else { return nil }
    return switch bytes[0] {
    case 0: .zmodemSender
    case 1: .zmodemReceiver
    default: nil
    }
  }
}
