import PlainText
package import SystemPackage

/// A session's reply to a client: a line of text.
package enum ControlReply: Hashable {
  /// `wait`: queued bytes are being sent first; another reply follows.
  case wait
  /// `released PATH`: the port is free; as the last reply: it stays released because another program uses
  /// it.
  case released(FilePath)
  /// `no REASON`: the session keeps the port.
  case no(String)
  /// `other`: the session has another device.
  case other
  /// `back PATH`: the session has the port again.
  case back(FilePath)
  /// `waiting PATH`: the session waits for its device.
  case waiting(FilePath)

  /// The maximum length of a reply in bytes, with its newline: a path has up to 4,096.
  package static let limit = 4_352

  /// Parses a reply; nil if the line is not one.
  package init?(line: String) {
    let words = line.harmless.split(separator: " ", maxSplits: 1).map(String.init)
    switch (words.first, words.dropFirst().first) {
    case ("wait", nil): self = .wait
    case ("other", nil): self = .other
    case ("released", let path?): self = .released(FilePath(path))
    case ("no", let reason?): self = .no(reason)
    case ("back", let path?): self = .back(FilePath(path))
    case ("waiting", let path?): self = .waiting(FilePath(path))
    default: return nil
    }
  }

  /// The line to send, without the newline.
  package var line: String {
    switch self {
    case .wait: "wait"
    case .released(let path): "released \(path.string.harmless)"
    case .no(let reason): "no \(reason)"
    case .other: "other"
    case .back(let path): "back \(path.string.harmless)"
    case .waiting(let path): "waiting \(path.string.harmless)"
    }
  }
}
