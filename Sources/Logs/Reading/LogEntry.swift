public import Views

/// The bytes of one read or write, as they were logged.
public struct LogEntry: Hashable, Sendable {
  /// The time, in nanoseconds since 1970.
  public let time: UInt64
  /// The direction of the bytes.
  public let direction: Direction
  /// The bytes.
  public let bytes: [UInt8]
}
