public import SystemPackage

/// Reads a log back, one entry at a time: no more than an entry is in memory, however long the log.
///
/// JSON lines and pcapng are told apart by the first bytes. Events and gaps are skipped.
public final class LogReader {
  private let input: LogInput
  /// Nil before the format is known.
  private var decoder: (any LogDecoder)?

  /// What the log has.
  public enum Reading: Hashable, Sendable {
    case entry(LogEntry)
    /// The log is a pipe, and more may come: call ``LogReader/next()`` again when
    /// ``LogReader/descriptor`` is readable or hung up.
    case waiting
    case end
  }

  /// Opens a log: a regular file, or a named pipe.
  ///
  /// - Throws: ``LogReadingError``.
  public init(_ path: FilePath) throws(LogReadingError) { input = try LogInput(path) }

  /// What to watch while the log has nothing to read. Lent for as long as the reader lives.
  public var descriptor: FileDescriptor { input.descriptor }

  /// The next entry. It never waits for one.
  ///
  /// - Throws: ``LogReadingError``; nothing comes after it.
  public func next() throws(LogReadingError) -> Reading {
    guard var decoder = try knownDecoder() else { return .waiting }
    defer { self.decoder = decoder }
    return try decoder.next()
  }

  private func knownDecoder() throws(LogReadingError) -> (any LogDecoder)? {
    if let decoder { return decoder }
    let magic: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]
    guard case .bytes(let beginning) = try input.peek(magic.count) else { return nil }
    return beginning.elementsEqual(magic) ? PcapngDecoder(input) : JSONLinesDecoder(input)
  }
}

/// Reads the entries of one format.
protocol LogDecoder {
  mutating func next() throws(LogReadingError) -> LogReader.Reading
}
