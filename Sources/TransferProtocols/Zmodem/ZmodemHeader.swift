/// The types of ZMODEM's frames, with their names in the specification.
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
  /// What a receiver is able to do: the bits of ``flags`` of a ZRINIT.
  enum Capability {
    /// CANFDX: it sends and receives at the same time.
    static let fullDuplex: UInt8 = 0x01
    /// CANOVIO: it receives while it writes to its disk.
    static let overlapsStorage: UInt8 = 0x02
    /// CANFC32: it knows CRC-32.
    static let crc32: UInt8 = 0x20
    /// ESCCTL: it expects control characters to be escaped. In a ZSINIT, the sender announces the same.
    static let escapesControls: UInt8 = 0x40
  }

  var frame: ZmodemFrame
  /// The four bytes in the order of the line (ZP0 to ZP3), the first one lowest.
  var word: UInt32

  /// A header with a position, or another number.
  init(_ frame: ZmodemFrame, _ number: Int = 0) {
    self.frame = frame
    word = UInt32(truncatingIfNeeded: number)
  }

  /// A header with flags.
  init(_ frame: ZmodemFrame, flags: UInt8) {
    self.frame = frame
    word = UInt32(flags) << 24
  }

  /// A header of five bytes: the type, and ZP0 to ZP3; nil if the type is unknown.
  init?(bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    guard let frame = ZmodemFrame(rawValue: bytes[start]) else { return nil }
    self.frame = frame
    word = (1...4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[start + $1]) }
  }

  /// The position, or another number.
  var number: Int { Int(word) }

  /// The flags ZF0, the last byte.
  var flags: UInt8 { UInt8(word >> 24) }

  /// The length of the receiver's buffer, in a ZRINIT: ZP0 and ZP1.
  var bufferLength: Int { Int(word & 0xFFFF) }

  /// The type, and ZP0 to ZP3.
  var bytes: [UInt8] {
    [frame.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
  }
}

/// The characters of ZMODEM.
enum ZmodemCharacter {
  /// ZPAD: begins a header.
  static let pad: UInt8 = 0x2A
  /// ZDLE: begins an escape sequence. It is CAN.
  static let escape: UInt8 = 0x18
  /// ZBIN, ZHEX and ZBIN32 follow ZDLE in a header.
  static let binary: UInt8 = 0x41
  static let hex: UInt8 = 0x42
  static let binary32: UInt8 = 0x43
  /// ZRUB0 and ZRUB1 follow ZDLE for 7F and FF.
  static let delete: UInt8 = 0x6C
  static let delete8: UInt8 = 0x6D
  static let xon: UInt8 = 0x11

  /// Whether a byte is XON or XOFF, with either parity: they are ignored where they come unescaped.
  static func isFlowControl(_ byte: UInt8) -> Bool { byte & 0x7D == 0x11 }
}

/// How a data subpacket ends, and what the receiver does then.
enum ZmodemEnd: UInt8 {
  /// ZCRCE: the frame ends; no answer.
  case frameEnds = 0x68
  /// ZCRCG: another subpacket follows; no answer.
  case goesOn = 0x69
  /// ZCRCQ: another subpacket follows; the receiver acknowledges.
  case acknowledged = 0x6A
  /// ZCRCW: the frame ends; the receiver acknowledges, and the sender waits for that.
  case waits = 0x6B

  var endsFrame: Bool { self == .frameEnds || self == .waits }
}
