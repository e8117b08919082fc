/// Numbers of the pcapng format; see draft-ietf-opsawg-pcapng, "Block Definition".
enum Pcapng {
  static let sectionHeader: UInt32 = 0x0A0D_0D0A
  static let interfaceDescription: UInt32 = 1
  static let enhancedPacket: UInt32 = 6

  /// The byte-order magic of a section header, in a little-endian file.
  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D

  /// The size of a block without a body: the type, the length, and the length again.
  static let shortestBlock = 12

  /// LINKTYPE_USER0, for private formats: the bytes of a serial line, unchanged. The only
  /// registered type for serial lines, LINKTYPE_RTAC_SERIAL, requires modem lines and protocols
  /// that are not known here. See <https://www.tcpdump.org/linktypes.html>.
  static let linkType: UInt16 = 147

  /// Types of options.
  enum Option {
    static let end: UInt16 = 0
    static let comment: UInt16 = 1
    /// Of a section header: the program that wrote it.
    static let application: UInt16 = 4
    /// Of an interface: its name.
    static let interfaceName: UInt16 = 2
    /// Of an interface: its description.
    static let interfaceDescription: UInt16 = 3
    /// Of an interface: a power of ten (or of two, with the highest bit set) a second.
    static let timeResolution: UInt16 = 9
    /// Of a packet: the lowest two bits are the direction.
    static let flags: UInt16 = 2
  }

  /// Reads a number of four bytes.
  ///
  /// - Parameter offset: counts from the first one of the bytes.
  static func number(
    _ bytes: ArraySlice<UInt8>, at offset: Int, isBigEndian: Bool
  ) -> UInt32 {
    let word = bytes.dropFirst(offset).prefix(4)
    let number = word.reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    return isBigEndian ? number : number.byteSwapped
  }

  static let inbound: UInt32 = 1
  static let outbound: UInt32 = 2
}
