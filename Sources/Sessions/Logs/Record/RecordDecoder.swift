import Encodings
import TextStages

/// Adds the text to the records of ports that do not use UTF-8.
///
/// An event names the encoding of a port, from then on and in both directions. Records are decoded
/// once, in their order: an encoder may be copied and asked again, a converter may not.
struct RecordDecoder {
  private var ports: [Int: Port] = [:]
  private var text: [UInt8] = []

  /// The state of a port. The directions have nothing in common.
  private struct Port {
    var stages: [Direction: DecodingStage] = [:]
    /// What is left of incomplete characters, for the next text.
    var rests: [Direction: [UInt8]] = [:]

    /// Begins both streams again: the next byte does not continue a character.
    mutating func restart() {
      for direction in stages.keys {
        stages[direction]?.restart(into: &rests[direction, default: []])
      }
    }
  }

  /// Calls a function with the record and its text. The text is valid during the call.
  mutating func decode(_ record: LogRecord, _ body: (LogRecord) -> Void) {
    switch record.content {
    case .bytes(let direction, let bytes, _):
      guard var port = ports[record.port], let encoding = port.stages[direction]?.encoding else {
        break
      }
      text.removeAll(keepingCapacity: true)
      if let rest = port.rests.removeValue(forKey: direction) { text += rest }
      port.stages[direction]?.decode(bytes, into: &text)
      ports[record.port] = port
      var record = record
      text.withUnsafeBytes {
        record.decoded = LogRecord.Decoded(encoding: encoding, text: $0)
        body(record)
      }
      return
    case .event(let event):
      if case .encoding(let encoding) = event.detail { use(encoding, for: record.port) }
      // Another program may have read the rest of a character from a released port.
      if event.kind == .lost || event.kind == .released { ports[record.port]?.restart() }
    case .gap: ports[record.port]?.restart()
    case .port: break
    }
    body(record)
  }

  private mutating func use(_ encoding: Encoding, for number: Int) {
    var port = ports[number] ?? Port()
    port.restart()
    port.stages = [:]
    if !encoding.isUTF8 {
      for direction in Direction.allCases {
        // The converters were opened when the encoding was made. Without one, the bytes are logged
        // as if they were UTF-8.
        port.stages[direction] = try? DecodingStage(encoding)
      }
    }
    ports[number] = port.stages.isEmpty ? nil : port
  }
}
