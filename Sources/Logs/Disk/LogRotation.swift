/// When a log starts a new file, and how many old files are kept.
public struct LogRotation: Hashable, Sendable {
  /// The maximal size of a file in bytes, at least 1. A larger record gets a file of its own.
  public var size: Int?
  /// The time for which a file is written to, above zero.
  public var interval: Duration?
  /// The number of old files to keep, at least 1; nil for all.
  public var keep: Int?

  /// Creates a rule; without limits there is one file.
  public init(size: Int? = nil, interval: Duration? = nil, keep: Int? = nil) {
    self.size = size
    self.interval = interval
    self.keep = keep
  }

  /// The number of bytes that a file has room for.
  func room(after count: Int) -> Int { size.map { max($0 - count, 0) } ?? .max }
}
