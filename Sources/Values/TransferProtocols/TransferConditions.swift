/// The properties of the line and the user's limits.
public struct TransferConditions: Hashable, Sendable {
  /// The number of bytes per second that the line carries; nil if it is unknown.
  public var bytesPerSecond: Int?
  /// The time that the other side may take to begin.
  public var startPatience = Duration.seconds(100)
  /// The time that the other side may be silent later, for example while it writes
  /// its flash memory.
  public var silencePatience = Duration.seconds(60)
  /// Whether all control characters are sent as two bytes, for lines that interpret them (ZMODEM).
  public var escapesControls = false
  /// The replacement of line ends in a text (``TransferProtocol/ascii``).
  public var lineEnd: [UInt8] = [UInt8(ascii: "\r")]
  /// The maximum size of a received file in bytes; nil for no limit.
  public var largestFile: Int?

  public init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }
}
