import Posix

/// Writes records in one of the formats.
///
/// Encoders append to a reused array, so that a record costs no allocation.
protocol LogEncoder {
  /// Appends the header of a file.
  mutating func begin(into output: inout [UInt8])

  /// Appends a record.
  mutating func encode(_ record: LogRecord, into output: inout [UInt8])

  /// Appends the end of a file. What is held back goes to the next file.
  mutating func end(into output: inout [UInt8])

  // MARK: Held back

  // Formats that keep lines whole hold back the beginning of a line until its end follows.

  /// The number of bytes of the line that are held back. By default 0.
  var heldCount: Int { get }

  /// When ``tick(at:into:)`` is due; nil while nothing is held back.
  var deadline: MonotonicTime? { get }

  /// Appends what was held back for long enough.
  mutating func tick(at now: MonotonicTime, into output: inout [UInt8])

  /// Appends everything that is held back: no record will follow.
  mutating func flush(into output: inout [UInt8])
}

extension LogEncoder {
  mutating func begin(into output: inout [UInt8]) {}
  mutating func end(into output: inout [UInt8]) {}

  var heldCount: Int { 0 }
  var deadline: MonotonicTime? { nil }
  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {}
  mutating func flush(into output: inout [UInt8]) {}
}

/// The bytes, and nothing else: events and gaps are reported to the user, not written.
struct RawEncoder: LogEncoder {
  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.content {
    case .bytes(_, let bytes, _): output.append(contentsOf: bytes)
    case .event, .gap, .port: break
    }
  }
}
