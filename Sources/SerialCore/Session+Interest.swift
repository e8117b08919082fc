extension Session {
  /// What a session wants to be told of its descriptor.
  public struct Interest: OptionSet, Hashable, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// That there is something to read, or a hang-up.
    public static let reading = Interest(rawValue: 1)
    /// That the driver takes bytes.
    public static let writing = Interest(rawValue: 2)
  }
}
