import TextStages
import Time

/// Records to write, in order, with their bytes in one buffer.
struct RecordBatch: Sendable {
  private var entries: [Entry] = []
  /// The serial bytes of all records.
  private(set) var bytes: [UInt8] = []

  private struct Entry {
    let moment: Moment
    let port: Int
    let content: Content
  }

  private enum Content {
    /// The number of bytes, which follow those of earlier entries, and the client that wrote them.
    case bytes(Direction, Int, by: String?)
    case event(LogEvent)
    case gap(Int)
    case port(LogPort)
  }

  /// The memory of a record without its bytes.
  static let recordSize = MemoryLayout<Entry>.stride

  var isEmpty: Bool { entries.isEmpty }

  /// The memory of all records.
  var size: Int { bytes.count + entries.count * Self.recordSize }

  /// The number of serial bytes in all records.
  var byteCount: Int { bytes.count }

  mutating func append(_ record: LogRecord) {
    let content: Content
    switch record.content {
    case .bytes(let direction, let piece, let client):
      bytes.append(contentsOf: piece)
      content = .bytes(direction, piece.count, by: client)
    case .event(let event): content = .event(event)
    case .gap(let count): content = .gap(count)
    case .port(let port): content = .port(port)
    }
    entries.append(Entry(moment: record.moment, port: record.port, content: content))
  }

  /// Passes the records one by one to a closure until that returns false.
  func forEach(while take: (LogRecord) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      for entry in entries {
        let content: LogRecord.Content
        switch entry.content {
        case .bytes(let direction, let count, let client):
          let end = offset + count
          let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
          content = .bytes(direction, piece, by: client)
          offset = end
        case .event(let event): content = .event(event)
        case .gap(let count): content = .gap(count)
        case .port(let port): content = .port(port)
        }
        let record = LogRecord(moment: entry.moment, port: entry.port, content: content)
        guard take(record) else { return }
      }
    }
  }

  /// Removes all records, and frees the memory if it is large.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: entries.capacity <= 8_192)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
  }
}

extension LogRecord {
  /// The number of serial bytes in the record.
  var byteCount: Int {
    switch content {
    case .bytes(_, let bytes, _): bytes.count
    case .event, .gap, .port: 0
    }
  }

  /// The memory of the record.
  var size: Int { RecordBatch.recordSize + byteCount }
}
