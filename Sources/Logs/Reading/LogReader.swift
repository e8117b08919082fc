public import SystemPackage

/// Reads a log back, an entry at a time: of a long log no more than an entry is in memory.
///
/// JSON lines and pcapng are told apart by their first bytes. Events and gaps are passed over.
public final class LogReader {
  private var decoder: any LogDecoder

  /// Opens a log.
  ///
  /// - Throws: ``LogReadingError``.
  public init(_ path: FilePath) throws(LogReadingError) {
    let input = try LogInput(path)
    decoder =
      try input.begins(with: [0x0A, 0x0D, 0x0D, 0x0A])
      ? PcapngDecoder(input) : JSONLinesDecoder(input)
  }

  /// The next entry; nil at the end.
  ///
  /// - Throws: ``LogReadingError``; nothing comes after it.
  public func next() throws(LogReadingError) -> LogEntry? { try decoder.next() }
}

/// Reads the entries of one format.
protocol LogDecoder {
  mutating func next() throws(LogReadingError) -> LogEntry?
}
