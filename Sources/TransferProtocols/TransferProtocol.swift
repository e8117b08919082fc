/// A protocol for transferring files.
public enum TransferProtocol: String, CaseIterable, Sendable {
  /// XMODEM with blocks of 128 bytes, and a CRC-16 or, if the receiver asks for it, a checksum.
  case xmodem
  /// XMODEM with blocks of 1,024 bytes.
  case xmodem1K = "xmodem-1k"
  /// YMODEM: several files, with names, sizes and times.
  case ymodem
  /// YMODEM-g: without acknowledgements, for lines that lose nothing.
  case ymodemG = "ymodem-g"
  /// ZMODEM: sends without waiting, and goes on after errors and interruptions.
  case zmodem
}

/// What a transfer has to know of its line and its user.
public struct TransferConditions: Hashable, Sendable {
  /// The number of bytes that the line carries in a second; nil if that is unknown.
  public var bytesPerSecond: Int?
  /// How long the other side may take to begin.
  public var startPatience = Duration.seconds(100)
  /// How long the other side may be silent afterwards, while it writes its flash memory, say.
  public var silencePatience = Duration.seconds(60)
  /// Whether all control characters are sent as two bytes, for lines that act on them (ZMODEM).
  public var escapesControls = false
  /// The largest file that is received, in bytes; nil for no limit.
  public var largestFile: Int?

  public init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }
}
