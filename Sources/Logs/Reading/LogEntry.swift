public import Views

/// Bytes of a log, as they were logged: what one read brought, or one write took.
public struct LogEntry: Hashable, Sendable {
  /// When, in nanoseconds since 1970.
  public let time: UInt64
  /// Which way they went.
  public let direction: Direction
  /// The bytes.
  public let bytes: [UInt8]
}
