import TextTools

/// A session's reply to a client: a line of text. PORT is a path, or the address of
/// a port elsewhere.
package enum ControlReply: Hashable {
  /// `wait`: queued bytes are being sent first; another reply follows.
  case wait
  /// `released PORT`: the port is free. As the last reply: it stays released, because another
  /// program uses it.
  case released(String)
  /// `no REASON`: the session keeps the port.
  case no(String)
  /// `other`: the session has another device.
  case other
  /// `back PORT`: the session has the port again.
  case back(String)
  /// `waiting PORT`: the session waits for its device.
  case waiting(String)

  /// The reply to a line that is not a request.
  package static let invalidRequest = ControlReply.no("invalid request")

  /// The maximum length of a reply in bytes, with its newline. A path has up to 4,096 bytes.
  package static let limit = 4_352

  /// Parses a reply; nil if the line is not one.
  package init?(line: String) {
    let words = line.harmless.split(separator: " ", maxSplits: 1).map(String.init)
    switch (words.first, words.dropFirst().first) {
    case ("wait", nil): self = .wait
    case ("other", nil): self = .other
    case ("released", let port?): self = .released(port)
    case ("no", let reason?): self = .no(reason)
    case ("back", let port?): self = .back(port)
    case ("waiting", let port?): self = .waiting(port)
    default: return nil
    }
  }

  /// The line to send, without the newline.
  package var line: String {
    switch self {
    case .wait: "wait"
    case .released(let port): "released \(port.harmless)"
    case .no(let reason): "no \(reason)"
    case .other: "other"
    case .back(let port): "back \(port.harmless)"
    case .waiting(let port): "waiting \(port.harmless)"
    }
  }
}
