import TextStages
import TextTools

/// Reads the output of ``JSONLinesEncoder``, and other objects with the same members.
struct JSONLinesDecoder: LogDecoder {
  static let beginnings = [[UInt8(ascii: "{")]] + blanks.map { [$0] }

  /// What is before the first object: empty lines are skipped.
  private static let blanks = Array(" \r\n".utf8)

  private(set) var ports = LogPortNames()
  private let input: LogInput
  private var line = 0

  init(_ input: LogInput) { self.input = input }

  /// Whether the first line is one of a log: a device can send JSON, too.
  static func isLog(_ beginning: ArraySlice<UInt8>) -> Bool {
    let lines = beginning.drop { blanks.contains($0) }
    // As serialterm writes it, also if it is damaged, or longer than what is known of it.
    let text = String(decoding: lines.prefix(200), as: UTF8.self)
    if text.hasPrefix("{\"time\":\"")
      && (text.contains(text: "\"bytes\":\"") || text.contains(text: "\"event\":\""))
    {
      return true
    }
    // Other programs write the members in another order, and with spaces.
    let line = lines.prefix { $0 != UInt8(ascii: "\n") }
    guard let object = try? JSON(parsing: line),
      object["time"]?.string.flatMap({ UniversalTime.nanoseconds(parsing: $0) }) != nil
    else { return false }
    if object["bytes"]?.string != nil {
      return object["direction"]?.string.flatMap(Direction.init) != nil
    }
    guard let event = object["event"]?.string else { return false }
    if event == "gap" { return object["missing"]?.integer != nil }
    return LogEvent.Kind(rawValue: event) != nil && object["path"]?.string != nil
  }

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
