import Framing
import Encodings
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

extension TerminalState {
  /// The settings as lines for the user.
  var summary: [String] {
    var lines = [sessionLine]
    if case .open(_, let actual) = session {
      for difference in requestedSettings.differences(from: actual) {
        lines.append(
          "  \(difference.setting): requested \(difference.requested), actual \(difference.actual)")
      }
    }
    if let port = session.endpoint, let path = port.path, path.string != "\(port)" {
      lines.append("  path: \(path)")
    }
    if isHeld { lines.append("  held by the device") }
    lines.append("  reconnect: \(reconnects.onOff)")
    lines.append("  local-echo: \(echoesLocally.onOff)")
    lines.append("  line-ending: \(lineEnding.rawValue)")
    lines.append("  read-only: \(isReadOnly.onOff)")
    lines.append("  input-mode: \(inputMode.rawValue)")
    if let checksum { lines.append("  checksum: \(checksum.name)") }
    if !view.encoding.isUTF8 { lines.append("  encoding: \(view.encoding)") }
    if let frames = view.frames { lines.append("  frames: \(frames)") }
    return lines
  }

  private var sessionLine: String {
    switch session {
    case .open(let port, let actual):
      capabilities.contains(.settings) ? "\(port) at \(actual)" : "\(port), without line settings"
    case .opening(let port, _): "opening \(port) at \(requestedSettings)"
    case .released(let port): "\(port.inWords) is released, at \(requestedSettings)"
    case .waitingForDevice(let port, _):
      "waiting for \(port.inWords), at \(requestedSettings)"
        + (session.waitReason.map { ": \($0.harmless)" } ?? "")
    case .closed: "no device, at \(requestedSettings)"
    }
  }
}
