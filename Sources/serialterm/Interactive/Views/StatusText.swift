import Encodings
import Framing
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools

/// The state of a session in one line. The most important parts come first, because the end
/// may not fit.
struct StatusText {
  let state: TerminalState
  /// The rate in bytes per second.
  let receivedRate: Int
  let sentRate: Int
  /// The number of bytes that arrived while the screen stands.
  var waitingCount = 0
  /// The number of hidden lines.
  var hiddenLineCount = 0
  /// The number of lines that are shown because the expressions of `show` and `hide` took too long.
  var unjudgedLineCount = 0
  /// The numbers of frames; nil while none are shown.
  var frameCounts: FrameCounts?

  var text: String {
    (transfer + [port] + marks + ["in \(Self.rate(receivedRate)) out \(Self.rate(sentRate))"])
      .joined(separator: " | ").harmless
  }

  /// The progress of a transfer, which a user watches.
  private var transfer: [String] {
    guard case .transfer(let status) = state.progress else { return [] }
    return [(status.isReceiving ? "receiving " : "sending ") + status.line]
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
    case .open(let port, let settings):
      state.capabilities.contains(.settings) ? "\(port) \(settings)" : "\(port)"
    case .opening(let port, _): "\(port) is being opened"
    case .waitingForDevice(let port, _):
      "waiting for \(port.inWords)" + (state.session.waitReason.map { ": \($0.harmless)" } ?? "")
    case .released(let port): "\(port.inWords) is released"
    case .closed: "no device"
    }
  }

  private var marks: [String] {
    var marks: [String] = []
    if state.isPaused { marks.append("paused, \(waitingCount.counted("byte")) waiting") }
    if state.isHeld { marks.append("held") }
    if let exchange = state.exchange, transfer.isEmpty {
      marks.append(Self.mark(of: exchange, state.progress))
    }
    if let repetition = state.repeating { marks.append("repeat \(repetition)") }
    if let lines = state.modemLines { marks.append("\(lines)") }
    if state.isReadOnly { marks.append("read-only") }
    if let log = state.log { marks.append("log \(log.lastComponent?.string ?? log.string)") }
    if state.view.isHex { marks.append("hex") }
    if let form = state.view.frames { marks.append(Self.mark(of: form, frameCounts)) }
    if hiddenLineCount > 0 { marks.append("\(hiddenLineCount.counted("line")) hidden") }
    if unjudgedLineCount > 0 {
      marks.append("\(unjudgedLineCount.counted("line")) not judged in time")
    }
    if !state.view.encoding.isUTF8 { marks.append("\(state.view.encoding)") }
    return marks
  }

  private static func mark(of form: ChosenFrameForm, _ counts: FrameCounts?) -> String {
    guard let counts else { return "\(form)" }
    return "\(form): \(counts.goodCount) good, \(counts.badCount) bad"
      + (counts.strayByteCount > 0 ? ", \(counts.strayByteCount.counted("stray byte"))" : "")
  }

  private static func mark(of exchange: Author, _ progress: TerminalState.Progress?) -> String {
    switch progress {
    case .bytes(let count, let size):
      "sending \(exchange.name) \(size == 0 ? 100 : count * 100 / size) %"
    case .line(let line): "running \(exchange.name), line \(line)"
    case .transfer, nil: "\(exchange.activity)"
    }
  }

  /// A rate in bytes per second, with at most four digits.
  static func rate(_ bytes: Int) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) B/s"
    case ..<10_000_000: "\(bytes / 1_000) kB/s"
    default: "\(bytes / 1_000_000) MB/s"
    }
  }
}
