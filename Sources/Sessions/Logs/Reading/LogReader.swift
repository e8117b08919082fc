public import SystemPackage
public import TextStages
import Time

/// Reads a log, one entry at a time. Only one entry is in memory, for a log of any length.
///
/// The first bytes show which of the formats with a decoder it has; see ``LogFormat``. Events and
/// gaps are skipped.
public final class LogReader {
  private let input: LogInput
  /// The decoder; nil before the format is known, and for an empty file.
  private var decoder: (any LogDecoder)?

  /// The result of a read.
  public enum Reading: Hashable, Sendable {
    case entry(LogEntry)
    /// The log is a pipe, and more may follow. Call ``LogReader/next()`` again when
    /// ``LogReader/descriptor`` is readable or hung up.
    case waiting
    case end
  }

  /// Opens a log: a regular file, or a named pipe.
  ///
  /// - Throws: ``LogReadingError``.
  public init(_ path: FilePath) throws(LogReadingError) { input = try LogInput(path) }

  /// The descriptor to watch while nothing is available; borrowed for the lifetime of the reader.
  public var descriptor: FileDescriptor { input.descriptor }

  /// The names of the ports in the part that was read, including events, in the order of their
  /// appearance. Empty if the log names no ports.
  public var ports: [String] { decoder?.ports.names ?? [] }

  /// Reads the next entry, without waiting for one.
  ///
  /// - Throws: ``LogReadingError``. Nothing more can be read then.
  public func next() throws(LogReadingError) -> Reading {
    if decoder == nil {
      guard case .bytes(let beginning) = try input.peek(LogFormat.signatureByteCount) else {
        return .waiting
      }
      if beginning.isEmpty { return .end }
      guard let known = LogFormat(ofLog: beginning)?.decoder else {
        throw LogReadingError("not a log with times")
      }
      decoder = known.init(input)
    }
    let reading = try decoder?.next() ?? .end
    guard case .entry(var entry) = reading, let decoder else { return reading }
    entry.clockStep = decoder.clockStep
    return .entry(entry)
  }
}

/// Decodes the entries of one format.
protocol LogDecoder: SendableMetatype {
  /// What a log in the format can begin with, each at least one byte.
  static var beginnings: [[UInt8]] { get }

  /// Whether the log is text, which needs no decoder where lines of text are expected. By default
  /// false.
  static var isText: Bool { get }

  /// Whether a file with one of the ``beginnings`` is a log, and nothing else. By default true.
  ///
  /// - Parameter beginning: the first ``LogFormat/probeByteCount`` bytes or more.
  static func isLog(_ beginning: ArraySlice<UInt8>) -> Bool

  init(_ input: LogInput)

  /// The ports in the part that was read.
  var ports: LogPortNames { get }

  /// The sum of the steps of the clock in the part that was read, in nanoseconds.
  var clockStep: Int64 { get }

  mutating func next() throws(LogReadingError) -> LogReader.Reading
}

extension LogDecoder {
  static var isText: Bool { false }
  static func isLog(_ beginning: ArraySlice<UInt8>) -> Bool { true }
}

/// The bytes of one read or write in a log.
public struct LogEntry: Hashable, Sendable {
  /// The time, in nanoseconds since 1970.
  public let time: UInt64
  /// The name of the port; nil if the log names none.
  public var port: String?
  /// The direction of the bytes.
  public let direction: Direction
  /// The bytes.
  public let bytes: [UInt8]
  /// How far the clock was set before, since the beginning of the log, in nanoseconds.
  var clockStep: Int64 = 0

  /// The time as if the clock had not been set, in nanoseconds since 1970. Only differences are
  /// meaningful.
  public var steadyTime: Int64 { Int64(clamping: time).subtractingClamped(clockStep) }
}

/// The names of the ports of a log, each once.
struct LogPortNames {
  private(set) var names: [String] = []

  mutating func add(_ name: String) {
    // Most entries have the same port as the previous one, and there are few ports.
    if names.last != name && !names.contains(name) { names.append(name) }
  }
}
