/// When a log begins a new file, and how many of the old ones stay.
public struct LogRotation: Hashable, Sendable {
  /// How many bytes a file may have, at least 1. A record that is larger has a file of its own.
  public var size: Int?
  /// How long a file is written to, above zero.
  public var interval: Duration?
  /// How many old files stay, at least 1; nil for all.
  public var keep: Int?

  /// Creates a rule; without limits there is one file.
  public init(size: Int? = nil, interval: Duration? = nil, keep: Int? = nil) {
    self.size = size
    self.interval = interval
    self.keep = keep
  }

  /// How many bytes more a file takes.
  func room(after count: Int) -> Int { size.map { max($0 - count, 0) } ?? .max }
}
