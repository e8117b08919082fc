import PlainText
import SerialCore
import SystemPackage
import TerminalFrontEnd

/// The state of a session in one line: what matters most stands first, since the end may not fit.
struct StatusText {
  let state: TerminalState
  /// Bytes a second.
  let receivedRate: Int
  let sentRate: Int

  var text: String {
    ([port] + marks + ["in \(Self.rate(receivedRate)) out \(Self.rate(sentRate))"])
      .joined(separator: " | ").harmless
  }

  private var port: String {
    guard let focus = state.program.focus else { return session }
    let count = state.program.ports.count
    let place = (state.program.ports.firstIndex(of: focus) ?? 0) + 1
    return "\(focus) (\(place)/\(count)): \(session)"
      + (state.program.sendsToAll ? " | typing to all" : "")
  }

  private var session: String {
    switch state.session {
    case .open(let port, let settings): "\(port) \(settings)"
    case .opening(let port, _): "\(port) is being opened"
    case .waitingForDevice(let port, _): "waiting for \(port.inWords)"
    case .released(let port): "\(port.inWords) is released"
    case .closed: "no device"
    }
  }

  private var marks: [String] {
    var marks: [String] = []
    if state.isHeld { marks.append("held") }
    if let transfer = state.transfer, let progress = state.progress {
      let percent = progress.size == 0 ? 100 : progress.sentCount * 100 / progress.size
      marks.append("sending \(transfer.name) \(percent) %")
    }
    if let lines = state.modemLines { marks.append("\(lines)") }
    if state.isReadOnly { marks.append("read-only") }
    if let log = state.log { marks.append("log \(log.lastComponent?.string ?? log.string)") }
    if state.view.isHex { marks.append("hex") }
    return marks
  }

  /// Bytes a second in at most four digits.
  static func rate(_ bytes: Int) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) B/s"
    case ..<10_000_000: "\(bytes / 1_000) kB/s"
    default: "\(bytes / 1_000_000) MB/s"
    }
  }
}
