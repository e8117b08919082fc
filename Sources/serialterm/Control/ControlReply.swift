import SystemPackage

/// What a session answers a client, as a line of text.
enum ControlReply: Hashable {
  /// `wait`: what was given to be sent is being sent; the answer follows.
  case wait
  /// `released PATH`: the port is free; or, at the end, it stays so because others want it too.
  case released(FilePath)
  /// `no REASON`: the session keeps the port.
  case no(String)
  /// `other`: the session's device is another one.
  case other
  /// `back PATH`: the session has the port again.
  case back(FilePath)
  /// `waiting PATH`: the session waits for its device.
  case waiting(FilePath)

  /// The most bytes of a reply, its end included: a path has 4,096 at most.
  static let limit = 4_352

  /// Reads a reply; nil if the line is none.
  init?(line: String) {
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

  /// The reply as it is sent, without the line's end.
  var line: String {
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
