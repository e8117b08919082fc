/// Something that happened to a session besides the passing of bytes, as a log tells it.
public struct LogEvent: Hashable, Sendable {
  /// What happened.
  public let kind: Kind
  /// The port that it happened to.
  public let path: String
  /// The line's settings as people write them, where the port is open.
  public let settings: String?

  /// What can happen. The raw values stand in logs.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The port is open; for a log that begins later, it is open already.
    case opened
    /// The line is set otherwise.
    case settings
    /// The device went away.
    case lost
    /// The device is there again, and its port open.
    case back
    /// The port was let go of for another program to use.
    case released
  }

  /// Creates an event.
  public init(_ kind: Kind, at path: String, settings: String? = nil) {
    self.kind = kind
    self.path = path
    self.settings = settings
  }
}
