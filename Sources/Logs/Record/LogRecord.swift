import Views

/// One entry of a log.
struct LogRecord {
  let moment: Moment
  /// The number of the port, in the order in which the ports were added; 0 in the log of one port.
  var port = 0
  let content: Content

  enum Content {
    /// The bytes of one read or write, valid only during the call that passes the record, and the name of the client
    /// that wrote them; nil for everybody else.
    case bytes(Direction, UnsafeRawBufferPointer, by: String?)
    case event(LogEvent)
    /// The number of bytes that are missing here because the buffer was full.
    case gap(Int)
    /// The port is a new one of a log of several ports. Comes before everything else of it.
    case port(LogPort)
  }
}

/// One of the ports that write to the same log.
public struct LogPort: Hashable, Sendable {
  /// Its short name, which every entry has. The names of a log's ports differ.
  public let name: String
  /// What it is connected to: a path, or another endpoint.
  public let endpoint: String

  /// Creates a port.
  public init(_ name: String, at endpoint: String) {
    self.name = name
    self.endpoint = endpoint
  }
}
