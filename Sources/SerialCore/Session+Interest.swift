extension Session {
  /// The events for which a session's descriptor has to be polled.
  public struct Interest: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Bytes to read, or a hang-up.
    public static let reading = Interest(rawValue: 1)
    /// The driver takes bytes.
    public static let writing = Interest(rawValue: 2)
  }
}
