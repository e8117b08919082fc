import Time

/// Writes records in one of the formats.
///
/// Encoders append to a reused array, so that a record needs no allocation.
protocol LogEncoder {
  /// Appends the header of a file.
  mutating func begin(into output: inout [UInt8])

  /// Appends a record.
  mutating func encode(_ record: LogRecord, into output: inout [UInt8])

  /// Appends the end of a file. Text that is held back goes into the next file.
  mutating func end(into output: inout [UInt8])

  /// How a file that has contents is continued, which may end with an incomplete record. By default
  /// as it is.
  ///
  /// - Parameters:
  ///   - size: the length of the file in bytes, above zero.
  ///   - read: reads a part of the file; nil if that is not possible.
  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation

  /// Whether what a record becomes depends on the records before it in the same file. By default
  /// false.
  ///
  /// It is true for ``TextEncoder``, which continues an open line, but begins it again in the next
  /// file. A record that has no room is then encoded again, by a copy of the encoder.
  var dependsOnFile: Bool { get }

  /// Whether the file cannot continue, and what is held back belongs to a new one. It is reset when
  /// that has begun. By default false.
  var needsNewFile: Bool { get set }

  // MARK: Held-back text

  // Formats with whole lines hold back the beginning of a line until its end arrives.

  /// The number of bytes of the line that are held back. By default 0.
  var heldCount: Int { get }

  /// The time at which ``tick(at:into:)`` is due; nil if nothing is held back.
  var deadline: MonotonicTime? { get }

  /// Appends text that was held back for long enough.
  mutating func tick(at now: MonotonicTime, into output: inout [UInt8])

  /// Appends all held-back text, because no record will follow.
  mutating func flush(into output: inout [UInt8])
}

extension LogEncoder {
  mutating func begin(into output: inout [UInt8]) {}
  mutating func end(into output: inout [UInt8]) {}

  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation { .asItIs }

  var needsNewFile: Bool {
    get { false }
    set {}
  }

  var dependsOnFile: Bool { false }
  var heldCount: Int { 0 }
  var deadline: MonotonicTime? { nil }
  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {}
  mutating func flush(into output: inout [UInt8]) {}
}

/// How a file that has contents is continued.
enum LogContinuation {
  /// Its last record is complete, or its format has no records.
  case asItIs
  /// A line end makes the next record a line of its own.
  case behindLineEnd
  /// No reader finds a record behind an incomplete one: the next one needs another file.
  case inNextFile

  /// How a file is continued whose records are lines.
  init(ofLines size: Int, _ read: (Range<Int>) -> [UInt8]?) {
    // An empty line harms no reader, so that an unknown end is one without a line end.
    self = read(size - 1..<size) == [UInt8(ascii: "\n")] ? .asItIs : .behindLineEnd
  }
}

/// Writes only the bytes. Events and gaps are reported to the user, but not written.
struct RawEncoder: LogEncoder {
  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    switch record.content {
    case .bytes(_, let bytes, _): output.append(contentsOf: bytes)
    case .event, .gap, .port: break
    }
  }
}
