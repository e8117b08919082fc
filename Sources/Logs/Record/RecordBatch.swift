import Views

/// Records to be written, in order, with their bytes in one buffer.
struct RecordBatch: Sendable {
  private var entries: [Entry] = []
  /// The bytes of the line, of all records.
  private(set) var bytes: [UInt8] = []

  private struct Entry {
    let moment: Moment
    let port: Int
    let content: Content
  }

  private enum Content {
    /// The number of bytes, which follow those of the entries before, and the client that wrote them.
    case bytes(Direction, Int, by: String?)
    case event(LogEvent)
    case gap(Int)
    case port(LogPort)
  }

  /// The memory of a record besides its bytes.
  static let recordSize = MemoryLayout<Entry>.stride

  var isEmpty: Bool { entries.isEmpty }

  /// The memory of its records.
  var size: Int { bytes.count + entries.count * Self.recordSize }

  /// The number of bytes of the line in it.
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

  /// Passes on the records one by one, until one is refused.
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

  /// Removes the records, and frees the memory if it is large.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: entries.capacity <= 8_192)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
  }
}

extension LogRecord {
  /// The number of bytes of the line in it.
  var byteCount: Int {
    switch content {
    case .bytes(_, let bytes, _): bytes.count
    case .event, .gap, .port: 0
    }
  }

  /// Its memory.
  var size: Int { RecordBatch.recordSize + byteCount }
}
