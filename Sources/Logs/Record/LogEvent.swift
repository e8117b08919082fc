/// Something that happened to a session besides the passing of bytes, as a log tells it.
public struct LogEvent: Hashable, Sendable {
  /// What happened.
  public let kind: Kind
  /// The port that it happened to.
  public let path: String
  /// What else there is to tell of it.
  public let detail: Detail?

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
    /// Modem lines changed.
    case lines
    /// Bytes came with errors, or breaks did.
    case errors
  }

  /// What is told of an event, as people write it.
  public enum Detail: Hashable, Sendable {
    /// The line's settings, where the port is open.
    case settings(String)
    /// The modem lines that are asserted.
    case lines(old: String, new: String)
    /// How many errors of each kind there were since the last event of this kind.
    case errors([ErrorCount])
  }

  /// So many errors of one kind.
  public struct ErrorCount: Hashable, Sendable {
    /// The kind: one word.
    public let name: String
    /// How many.
    public let count: Int

    /// Creates a count.
    public init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// Creates an event.
  public init(_ kind: Kind, at path: String, _ detail: Detail? = nil) {
    self.kind = kind
    self.path = path
    self.detail = detail
  }
}
