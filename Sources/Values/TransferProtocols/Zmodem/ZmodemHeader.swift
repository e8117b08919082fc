/// The types of ZMODEM frames, named as in the specification.
enum ZmodemFrame: UInt8 {
  case zrqinit, zrinit, zsinit, zack, zfile, zskip, znak, zabort, zfin, zrpos
  case zdata, zeof, zferr, zcrc, zchallenge, zcompl, zcan, zfreecnt, zcommand, zstderr

  /// Whether data subpackets follow the header.
  var hasData: Bool {
    switch self {
    case .zsinit, .zfile, .zdata, .zcommand: true
    default: false
    }
  }
}

/// A ZMODEM header: a type, and four bytes that are flags or a position.
struct ZmodemHeader: Hashable {
  /// The capabilities of a receiver: the bits of ``flags`` in a ZRINIT.
  enum Capability {
    /// CANFDX: it can send and receive at the same time.
    static let fullDuplex: UInt8 = 0x01
    /// CANOVIO: it can receive while it writes to its disk.
    static let overlapsStorage: UInt8 = 0x02
    /// CANFC32: it supports CRC-32.
    static let crc32: UInt8 = 0x20
    /// ESCCTL: it expects control characters to be escaped. In a ZSINIT, the sender
    /// announces the same.
    static let escapesControls: UInt8 = 0x40
  }

  var frame: ZmodemFrame
  /// The four bytes in the order of transmission (ZP0 to ZP3), the first one lowest.
  var word: UInt32

  /// Creates a header with a position or another number.
  init(_ frame: ZmodemFrame, _ number: Int = 0) {
    self.frame = frame
    word = UInt32(truncatingIfNeeded: number)
  }

  /// Creates a header with flags.
  init(_ frame: ZmodemFrame, flags: UInt8) {
    self.frame = frame
    word = UInt32(flags) << 24
  }

  /// Creates a header from five bytes: the type, and ZP0 to ZP3; nil if the type is unknown.
  init?(bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard let frame = ZmodemFrame(rawValue: bytes[start]) else { return nil }
    self.frame = frame
    word = (1...4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
  }

  /// The position or other number.
  var number: Int { Int(word) }

  /// The flags ZF0, which are the last byte.
  var flags: UInt8 { UInt8(word >> 24) }

  /// The length of the receiver's buffer, in a ZRINIT: ZP0 and ZP1.
  var bufferLength: Int { Int(word & 0xFFFF) }

  /// The header as bytes: the type, and ZP0 to ZP3.
  var bytes: [UInt8] {
    [frame.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}

/// The special characters of ZMODEM.
enum ZmodemCharacter {
  /// ZPAD, which begins a header.
  static let pad: UInt8 = 0x2A
  /// ZDLE, which begins an escape sequence. It is the same character as CAN.
  static let escape: UInt8 = 0x18
  /// ZBIN, ZHEX and ZBIN32 follow ZDLE in a header.
  static let binary: UInt8 = 0x41
  static let hex: UInt8 = 0x42
  static let binary32: UInt8 = 0x43
  /// ZRUB0 and ZRUB1 follow ZDLE for 7F and FF.
  static let delete: UInt8 = 0x6C
  static let delete8: UInt8 = 0x6D
  static let xon: UInt8 = 0x11

  /// Whether a byte is XON or XOFF, with any parity. Unescaped ones are ignored.
  static func isFlowControl(_ byte: UInt8) -> Bool { byte & 0x7D == 0x11 }
}

/// The end of a data subpacket, and the reaction of the receiver.
enum ZmodemEnd: UInt8 {
  /// ZCRCE: the frame ends, without an answer.
  case frameEnds = 0x68
  /// ZCRCG: another subpacket follows, without an answer.
  case continues = 0x69
  /// ZCRCQ: another subpacket follows, and the receiver acknowledges.
  case acknowledged = 0x6A
  /// ZCRCW: the frame ends, and the sender waits for the receiver's acknowledgement.
  case waits = 0x6B

  var endsFrame: Bool { self == .frameEnds || self == .waits }
}
