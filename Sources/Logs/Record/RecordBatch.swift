import Views

/// Records that wait to be written, in the order in which they came; their bytes lie in one piece.
struct RecordBatch: Sendable {
  private var entries: [Entry] = []
  /// The bytes of the line, of all records.
  private(set) var bytes: [UInt8] = []

  private struct Entry {
    let moment: Moment
    let content: Content
  }

  private enum Content {
    /// So many of the bytes, behind those of the entries before.
    case bytes(Direction, Int)
    case event(LogEvent)
    case gap(Int)
  }

  /// How much memory a record takes besides its bytes.
  static let recordSize = MemoryLayout<Entry>.stride

  var isEmpty: Bool { entries.isEmpty }

  /// How much memory its records take while they wait.
  var size: Int { bytes.count + entries.count * Self.recordSize }

  /// How many bytes of the line are in it.
  var byteCount: Int { bytes.count }

  mutating func append(_ record: LogRecord) {
    let content: Content
    switch record.content {
    case .bytes(let direction, let piece):
      bytes.append(contentsOf: piece)
      content = .bytes(direction, piece.count)
    case .event(let event): content = .event(event)
    case .gap(let count): content = .gap(count)
    }
    entries.append(Entry(moment: record.moment, content: content))
  }

  /// Hands over the records one after the other, until one is refused.
  func forEach(while take: (LogRecord) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      for entry in entries {
        let content: LogRecord.Content
        switch entry.content {
        case .bytes(let direction, let count):
          let end = offset + count
          content = .bytes(direction, UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
          offset = end
        case .event(let event): content = .event(event)
        case .gap(let count): content = .gap(count)
        }
        guard take(LogRecord(moment: entry.moment, content: content)) else { return }
      }
    }
  }

  /// Forgets the records, and keeps the memory unless it is much.
  mutating func removeAll() {
    entries.removeAll(keepingCapacity: entries.capacity <= 8_192)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
  }
}

extension LogRecord {
  /// How many bytes of the line it keeps.
  var byteCount: Int {
    switch content {
    case .bytes(_, let bytes): bytes.count
    case .event, .gap: 0
    }
  }

  /// How much memory it takes while it waits.
  var size: Int { RecordBatch.recordSize + byteCount }
}
