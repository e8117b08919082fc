/// Writes records in one of the formats.
///
/// Encoders append to an array that is used again and again, so that a record costs no allocation.
protocol LogEncoder {
  /// Appends what a file begins with.
  mutating func begin(into output: inout [UInt8])

  /// Appends a record.
  mutating func encode(_ record: LogRecord, into output: inout [UInt8])

  /// Appends what is still due before a file ends.
  mutating func end(into output: inout [UInt8])
}

extension LogEncoder {
  mutating func begin(into output: inout [UInt8]) {}
  mutating func end(into output: inout [UInt8]) {}
}

/// The bytes, and nothing else: events and gaps are told to the user, not to the file.
struct RawEncoder: LogEncoder {
  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.content {
    case .bytes(_, let bytes): output.append(contentsOf: bytes)
    case .event, .gap: break
    }
  }
}
