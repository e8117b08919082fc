/// Writes records in one of the formats.
///
/// Encoders append to a reused array, so that a record costs no allocation.
protocol LogEncoder {
  /// Appends the header of a file.
  mutating func begin(into output: inout [UInt8])

  /// Appends a record.
  mutating func encode(_ record: LogRecord, into output: inout [UInt8])

  /// Appends the end of a file.
  mutating func end(into output: inout [UInt8])
}

extension LogEncoder {
  mutating func begin(into output: inout [UInt8]) {}
  mutating func end(into output: inout [UInt8]) {}
}

/// The bytes, and nothing else: events and gaps are reported to the user, not written.
struct RawEncoder: LogEncoder {
  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.content {
    case .bytes(_, let bytes): output.append(contentsOf: bytes)
    case .event, .gap: break
    }
  }
}
