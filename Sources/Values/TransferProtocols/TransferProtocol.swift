/// A protocol for transferring files.
public enum TransferProtocol: String, CaseIterable, Sendable {
  /// XMODEM with blocks of 128 bytes and a CRC-16, or a checksum if the receiver requests that.
  case xmodem
  /// XMODEM with blocks of 1,024 bytes.
  case xmodem1K = "xmodem-1k"
  /// YMODEM: several files, with names, sizes and times.
  case ymodem
  /// YMODEM-g: without acknowledgements, for lines that lose nothing.
  case ymodemG = "ymodem-g"
  /// ZMODEM: sends without waiting, and continues after errors and interruptions.
  case zmodem
}

/// The properties of the line and the user's limits.
public struct TransferConditions: Hashable, Sendable {
  /// The number of bytes per second that the line carries; nil if it is unknown.
  public var bytesPerSecond: Int?
  /// The time that the other side may take to begin.
  public var startPatience = Duration.seconds(100)
  /// The time that the other side may be silent later, for example while it writes its flash memory.
  public var silencePatience = Duration.seconds(60)
  /// Whether all control characters are sent as two bytes, for lines that interpret them (ZMODEM).
  public var escapesControls = false
  /// The maximum size of a received file in bytes; nil for no limit.
  public var largestFile: Int?

  public init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }
}
