import TextStages
import TextTools

/// Reads the output of ``JSONLinesEncoder``, and other objects with the same members.
struct JSONLinesDecoder: LogDecoder {
  private(set) var ports = LogPortNames()
  private let input: LogInput
  private var line = 0

  init(_ input: LogInput) { self.input = input }

  mutating func next() throws(LogReadingError) -> LogReader.Reading {
    while let reading = try input.readLine() {
      guard case .bytes(let text) = reading else { return .waiting }
      line += 1
      if text.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      if let entry = try entry(in: text) { return .entry(entry) }
    }
    return .end
  }

  /// The entry of a line; nil for an event.
  private mutating func entry(in text: ArraySlice<UInt8>) throws(LogReadingError) -> LogEntry? {
    guard text.count <= LogInput.maximalLength else { throw error("the line is too long") }
    guard let object = try? JSON(parsing: text), case .object = object else {
      throw error("expected a JSON object, as in a .jsonl log")
    }
    let port = object["port"]?.string
    if let port { ports.add(port) }
    guard let letters = object["bytes"]?.string else {
      if object["event"]?.string != nil { return nil }
      throw error("it has neither 'bytes' nor 'event'")
    }
    guard let bytes = Base64.bytes(parsing: letters.utf8) else {
      throw error("'bytes' is not base64")
    }
    guard let time = object["time"]?.string.flatMap({ UniversalTime.nanoseconds(parsing: $0) })
    else {
      throw error("'time' is not a time like 2026-11-21T06:31:00.123456Z")
    }
    guard let direction = object["direction"]?.string.flatMap(Direction.init) else {
      throw error("'direction' is neither from-device nor to-device")
    }
    return LogEntry(time: time, port: port, direction: direction, bytes: bytes)
  }

  private func error(_ problem: String) -> LogReadingError {
    LogReadingError(at: .line(line), problem)
  }
}
