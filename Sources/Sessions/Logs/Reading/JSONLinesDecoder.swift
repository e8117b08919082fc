import TextStages
import TextTools
import Time

/// Reads the output of ``JSONLinesEncoder``, and other objects with the same members.
struct JSONLinesDecoder: LogDecoder {
  static let beginnings = [[UInt8(ascii: "{")]] + blanks.map { [$0] }

  /// What is before the first object: empty lines are skipped.
  private static let blanks = Array(" \r\n".utf8)

  private(set) var ports = LogPortNames()
  private(set) var clockStep: Int64 = 0
  private let input: LogInput
  private var line = 0

  init(_ input: LogInput) { self.input = input }

  /// Whether the first line that decides it is one of a log: a device can send JSON, too.
  static func isLog(_ beginning: ArraySlice<UInt8>) -> Bool {
    for line in beginning.split(separator: UInt8(ascii: "\n")) {
      let text = line.drop { blanks.contains($0) }
      guard let first = text.first else { continue }
      guard first == UInt8(ascii: "{") else { return false }
      if let answer = isOfLog(text) { return answer }
    }
    return false
  }

  /// Whether a line is one of a log; nil if the lines after it decide, as after events of other
  /// programs.
  private static func isOfLog(_ line: ArraySlice<UInt8>) -> Bool? {
    guard let object = try? JSON(parsing: line) else {
      // It is damaged, or longer than what is known of it.
      let text = String(decoding: line, as: UTF8.self)
      let isEntry =
        text.contains(text: "\"time\"") && text.contains(text: "\"bytes\"")
        && Direction.allCases.contains { text.contains(text: "\"\($0.rawValue)\"") }
      return isEntry ? true : nil
    }
    let time = object["time"]?.string.flatMap { UniversalTime.nanoseconds(parsing: $0) }
    if object["bytes"]?.string != nil {
      return time != nil && object["direction"]?.string.flatMap(Direction.init) != nil
    }
    guard let event = object["event"]?.string else { return false }
    let isKnown =
      event == "gap"
      ? object["missing"]?.integer != nil
      : LogEvent.Kind(rawValue: event).map {
        object[$0 == .clock ? "new" : "path"]?.string != nil
      } ?? false
    return isKnown && time != nil ? true : nil
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
      if let event = object["event"]?.string {
        if event == LogEvent.Kind.clock.rawValue { addClockStep(object) }
        return nil
      }
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

  private mutating func addClockStep(_ event: JSON) {
    guard let old = event["old"]?.string, let new = event["new"]?.string,
      let time = event["time"]?.string.flatMap({ UniversalTime.nanoseconds(parsing: $0) }),
      let step = LogEvent.clockStep(from: old, to: new, at: time)
    else { return }
    clockStep = clockStep.addingClamped(step)
  }

  private func error(_ problem: String) -> LogReadingError {
    LogReadingError(at: .line(line), problem)
  }
}
