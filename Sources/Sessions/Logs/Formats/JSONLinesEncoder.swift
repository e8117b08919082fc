import Encodings
import Framing
import TextTools
import Time
import TextStages

/// Writes a JSON object on each line, for a read, a write, an event or a gap.
///
/// An object contains the bytes in base64 (RFC 4648). If they are valid UTF-8, it also contains
/// them as text, for people and text tools; if they have another encoding, the text and the name of
/// the encoding. A frame has its check, the reason if it is bad, and its meaning. In the log of
/// several ports, it contains the name of the port.
struct JSONLinesEncoder: LogEncoder {
  /// The names of the ports; nil in the log of a single port.
  private var names: [String]?

  init(namesPorts: Bool = false) { names = namesPorts ? [] : nil }

  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
    LogContinuation(ofLines: size, read)
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    if case .port(let port) = record.content {
      names?.append(port.name)
      return
    }
    output.append("{\"time\":\"")
    UniversalTime.append(record.moment.wallClock, to: &output)
    output.append("\"")
    if let names { append("port", names[record.port], &output) }
    switch record.content {
    case .bytes(let direction, let bytes, let client):
      output.append(",\"direction\":\"\(direction.rawValue)\"")
      if let client { append("by", client, &output) }
      output.append(",\"bytes\":\"")
      Base64.append(bytes, to: &output)
      output.append("\"")
      if let decoded = record.decoded {
        append("encoding", decoded.encoding.name, &output)
        append("text", String(decoding: decoded.text, as: UTF8.self), &output)
      } else if let text = String(validating: bytes, as: UTF8.self) {
        append("text", text, &output)
      }
      if let frame = record.frame { append(frame, &output) }
    case .event(let event):
      output.append(",\"event\":\"\(event.kind.rawValue)\"")
      if event.kind != .clock { append("path", event.path, &output) }
      if let detail = event.detail { append(detail, &output) }
    case .gap(let count):
      output.append(",\"event\":\"gap\",\"missing\":\(count)")
    case .port: break
    }
    output.append("}\n")
  }

  private func append(_ frame: DecodedFrame, _ output: inout [UInt8]) {
    append("check", frame.check.name, &output)
    if case .bad(let reason) = frame.check { append("reason", reason, &output) }
    if let meaning = frame.meaning { append("meaning", meaning, &output) }
  }

  private func append(_ detail: LogEvent.Detail, _ output: inout [UInt8]) {
    switch detail {
    case .settings(let settings): append("settings", settings, &output)
    case .lines(let old, let new):
      append("old", old, &output)
      append("new", new, &output)
    case .errors(let counts):
      for error in counts { output.append(",\"\(error.name)\":\(error.count)") }
    case .mark(let number, let text):
      output.append(",\"number\":\(number)")
      if let text { append("text", text, &output) }
    case .name(let name): append("name", name, &output)
    case .encoding(let encoding): append("encoding", encoding.name, &output)
    case .names(let old, let new):
      append("old", old, &output)
      append("new", new, &output)
    case .bytes(let count, let name):
      append("name", name, &output)
      output.append(",\"count\":\(count)")
    case .symbols(let address, let frames):
      append("address", address, &output)
      output.append(",\"frames\":[")
      for (index, frame) in frames.enumerated() {
        output.append(index == 0 ? "{\"function\":" : ",{\"function\":")
        JSON.append(frame.function, escaping: .controls, to: &output)
        if let place = frame.place { append("place", place, &output) }
        output.append("}")
      }
      output.append("]")
    case .clock(let old, let new):
      let step = LogEvent.seconds(from: old, to: new)
      // A number in JSON has no plus sign.
      output.append(",\"step\":\(step.drop { $0 == "+" })")
      append("old", UniversalTime.text(old), &output)
      append("new", UniversalTime.text(new), &output)
    case .pen(let old, let new, let handover):
      if let old { append("from", old, &output) }
      if let new { append("to", new, &output) }
      append("how", handover.rawValue, &output)
    }
  }

  private func append(_ name: String, _ text: String, _ output: inout [UInt8]) {
    output.append(",\"\(name)\":")
    JSON.append(text, escaping: .controls, to: &output)
  }
}
