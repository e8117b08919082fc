/// The properties of the line and the user's limits.
package struct TransferConditions: Hashable, Sendable {
  /// The number of bytes per second that the line carries; nil if it is unknown.
  package var bytesPerSecond: Int?
  /// The time that the other side may take to begin.
  package var startPatience = Self.standardStartPatience
  /// The time that the other side may be silent later, for example while it writes
  /// its flash memory.
  package var silencePatience = Duration.seconds(60)
  /// Whether all control characters are sent as two bytes, for lines that interpret them (ZMODEM).
  package var escapesControls = false
  /// The replacement of line ends in a text (``TransferProtocol/ascii``).
  package var lineEnd: [UInt8] = [UInt8(ascii: "\r")]
  /// The maximum size of a received file in bytes; nil for no limit.
  package var largestFile: Int?

  /// The time that the other side may take to begin if nobody says another one.
  package static let standardStartPatience = Duration.seconds(100)

  package init(bytesPerSecond: Int? = nil) { self.bytesPerSecond = bytesPerSecond }
}
