import Encodings
import Framing
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// The state of a session in one line.
///
/// It has attributes and no colours, so that it can be read on every terminal: the port is
/// reversed, labels are dim, and what needs attention is bold.
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
  /// The keys that list the commands; nil if the user has none.
  var helpKeys: String?

  typealias Part = StatusParts.Part

  /// What is shown on a narrow screen: the last ones, as far as there is room; see ``StatusParts``.
  private enum Weight: Int {
    case folder, rates, hiddenInWords, encoding, unjudgedInWords, repeatedText, frameCounts
    case logName, longName, pauseInWords, help, modemLines, shortLogName, repetition, unjudged
    case frames, hex, settings, hidden, log, exchange, held, readOnly, paused, pen, helpKeys
  }

  var parts: StatusParts {
    StatusParts(port + transfer + marks + [rates], last: help)
  }

  // MARK: The port

  private var port: [Part] {
    guard let focus = state.program.focus else {
      return [Self.part(sessionForms.map { (StyledLine(" \($0) ", .reversed), $1) })] + details
    }
    let count = state.program.ports.count
    let place = (state.program.ports.firstIndex(of: focus) ?? 0) + 1
    let name = StyledLine(" \(focus.harmless) (\(place)/\(count)) ", .reversed)
    // The name of the port need not be there twice.
    let forms = Array(sessionForms.prefix { $0.text != focus })
    return [Part([(name, StatusParts.always)])]
      + (forms.isEmpty ? [] : [Self.part(forms.map { (StyledLine($0), $1) })]) + details
      + (state.program.sendsToAll ? [Self.alert("typing to all", .pen)] : [])
  }

  /// The port and what happens to it, from the longest form to the shortest.
  private var sessionForms: [(text: String, weight: Weight?)] {
    switch state.session {
    case .open(let port, _): Self.names("\(port)")
    case .opening(let port, _): Self.names("\(port)").map { ($0 + " is being opened", $1) }
    case .waitingForDevice(let port, _):
      Self.names(port.inWords).map { ("waiting for " + $0, $1) }
    case .released(let port): Self.names(port.inWords).map { ($0 + " is released", $1) }
    case .closed: [("no device", nil)]
    }
  }

  /// The forms of a port's name: with its folder, without, and without its middle.
  private static func names(_ name: String) -> [(String, Weight?)] {
    let name = name.harmless
    let last = name.hasPrefix("/") ? String(name.split(separator: "/").last ?? "") : name
    let forms: [(String, Weight?)] = [
      (name, .folder), (last, .longName), (withoutMiddle(last), nil),
    ]
    return forms.indices.filter { $0 + 1 == forms.count || forms[$0].0 != forms[$0 + 1].0 }
      .map { forms[$0] }
  }

  /// A name in a number of columns: its beginning and its end tell it from others.
  private static func withoutMiddle(_ name: String, limit: Int = 24) -> String {
    name.displayWidth <= limit
      ? name : name.prefix(ofWidth: limit / 2) + "…" + name.suffix(ofWidth: (limit - 1) / 2)
  }

  /// The settings of an open port, or the reason why it is not open.
  private var details: [Part] {
    if case .open(_, let settings) = state.session, state.capabilities.contains(.settings) {
      return [Self.part([(StyledLine("\(settings)"), .settings)])]
    }
    guard let reason = state.session.waitReason else { return [] }
    return [Self.alert(reason, nil)]
  }

  // MARK: What happens

  /// The progress of a transfer, which a user watches.
  private var transfer: [Part] {
    guard case .transfer(let status) = state.progress else { return [] }
    return [Self.alert((status.isReceiving ? "receiving " : "sending ") + status.line, nil)]
  }

  private var marks: [Part] {
    var marks: [Part] = []
    if state.isPaused {
      let short = StyledLine("paused", .bold)
      var long = short
      long.append(", \(waitingCount.counted("byte")) waiting")
      marks.append(Self.part([(long, .pauseInWords), (short, .paused)]))
    }
    if state.isHeld { marks.append(Self.alert("held", .held)) }
    if let pen { marks.append(Self.part([(pen, .pen)])) }
    if let exchange = state.exchange, transfer.isEmpty {
      marks.append(Self.alert(Self.text(of: exchange, state.progress), .exchange))
    }
    if let repetition = state.repeating {
      marks.append(
        Self.part([
          (Self.labelled("repeat", "\(repetition)"), .repeatedText),
          (StyledLine("repeat"), .repetition),
        ]))
    }
    if let lines = state.modemLines {
      marks.append(Self.part([(StyledLine("\(lines)"), .modemLines)]))
    }
    if state.isReadOnly { marks.append(Self.alert("read-only", .readOnly)) }
    if let log = state.log {
      let name = (log.lastComponent?.string ?? log.string).harmless
      marks.append(
        Self.part([
          (Self.labelled("log", name), .logName),
          (Self.labelled("log", Self.withoutMiddle(name)), .shortLogName),
          (Self.labelled("log", Self.withoutMiddle(name, limit: 14)), .log),
        ]))
    }
    return marks + viewMarks
  }

  private var viewMarks: [Part] {
    var marks: [Part] = []
    if state.view.isHex { marks.append(Self.part([(StyledLine("hex"), .hex)])) }
    if let form = state.view.frames {
      marks.append(
        Self.part([
          (StyledLine(Self.text(of: form, frameCounts)), .frameCounts),
          (StyledLine("\(form)"), .frames),
        ]))
    }
    if hiddenLineCount > 0 {
      marks.append(
        Self.part([
          (StyledLine("\(hiddenLineCount.counted("line")) hidden"), .hiddenInWords),
          (StyledLine("\(hiddenLineCount) hidden"), .hidden),
        ]))
    }
    if unjudgedLineCount > 0 {
      marks.append(
        Self.part([
          (StyledLine("\(unjudgedLineCount.counted("line")) not judged in time"), .unjudgedInWords),
          (StyledLine("\(unjudgedLineCount) not judged"), .unjudged),
        ]))
    }
    if !state.view.encoding.isUTF8 {
      marks.append(Self.part([(StyledLine("\(state.view.encoding)"), .encoding)]))
    }
    return marks
  }

  /// Who may type, if this user may not, or if somebody waits for an answer.
  private var pen: StyledLine? {
    if let applicant = state.sharing.applicants.first {
      return StyledLine("\(applicant.person.name) asks for the pen", .bold)
    }
    switch state.sharing.pen {
    case .mine, .everyone: return nil
    case .others(let person):
      return Self.labelled("pen", person.name + (state.sharing.isAsking ? ", asked" : ""), .bold)
    case .free: return Self.labelled("pen", "free", .bold)
    case .nobody: return Self.labelled("pen", "nobody", .bold)
    }
  }

  private static func text(of form: ChosenFrameForm, _ counts: FrameCounts?) -> String {
    guard let counts else { return "\(form)" }
    return "\(form): \(counts.goodCount) good, \(counts.badCount) bad"
      + (counts.strayByteCount > 0 ? ", \(counts.strayByteCount.counted("stray byte"))" : "")
  }

  private static func text(of exchange: Author, _ progress: TerminalState.Progress?) -> String {
    switch progress {
    case .bytes(let count, let size):
      "sending \(exchange.name) \(size == 0 ? 100 : count * 100 / size) %"
    case .line(let line): "running \(exchange.name), line \(line)"
    case .transfer, nil: "\(exchange.activity)"
    }
  }

  private var rates: Part {
    var line = Self.labelled("in", Self.rate(receivedRate))
    line.append(" out ", .dimmed)
    line.append(Self.rate(sentRate))
    return Self.part([(line, .rates)])
  }

  /// A rate in bytes per second, with at most four digits.
  static func rate(_ bytes: Int) -> String {
    switch bytes {
    case ..<10_000: "\(bytes) B/s"
    case ..<10_000_000: "\(bytes / 1_000) kB/s"
    default: "\(bytes / 1_000_000) MB/s"
    }
  }

  private var help: Part? {
    helpKeys.map { keys in
      var long = StyledLine(keys)
      long.append(" help", .dimmed)
      return Self.part([(long, .help), (StyledLine(keys), .helpKeys)])
    }
  }

  // MARK: Parts

  /// A part with these forms; nil is the weight of one that never gives way.
  private static func part(_ forms: [(line: StyledLine, weight: Weight?)]) -> Part {
    Part(forms.map { ($0.line, $0.weight?.rawValue ?? StatusParts.always) })
  }

  /// A text that needs attention.
  private static func alert(_ text: String, _ weight: Weight?) -> Part {
    part([(StyledLine(text.harmless, .bold), weight)])
  }

  private static func labelled(
    _ label: String, _ value: String, _ style: StyledLine.Style = []
  ) -> StyledLine {
    var line = StyledLine(label + " ", .dimmed)
    line.append(value.harmless, style)
    return line
  }
}
