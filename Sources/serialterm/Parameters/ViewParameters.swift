import Patterns
import Frames
import Logs
import Options
import Scrollback
import Terminal
import TextStages

/// The parameters for showing received bytes.
enum ViewParameters {
  static let hex = Parameter.flag(
    "hex", letter: "x", "Show bytes as hexadecimal numbers.", inSession: "show bytes in hex")

  static let hexGap = Parameter<Int>.milliseconds(
    "hex-gap", "Milliseconds of silence that end a row of the hex view.", 1...60_000, standard: 50)

  static let frames = Parameter<ChosenFrameForm?>.option(
    "frames", "FORM",
    "Show and log frames, each with its time and its check, instead of text: "
      + ChosenFrameForm.choices.map(\.usage).joined(separator: ", ") + ".",
    inSession: "show frames",
    completion: .oneOf(
      ChosenFrameForm.choices.map {
        Completion.Candidate($0.start, $0.summary, isBeginning: $0.isBeginning)
      }),
    parse: { try ChosenFrameForm(ofOption: $0) })

  static let timestamps = Parameter<TimestampFormat?>.option(
    "timestamps", letter: "t", "FORMAT", implied: "time",
    "Show the time of each line: time (without FORMAT), iso, delta, start or epoch; with :us in "
      + "microseconds.",
    inSession: "timestamp each line", completion: timestampCompletion,
    parse: { try TimestampFormat(parsing: $0) })

  static let map = Parameter<MapList>.option(
    "map", letter: "m", "LIST",
    "Change characters: from-device:cr=lf, to-device:lf=crlf and others, with commas between; or "
      + "tio's names, such as ICRNL.",
    standard: MapList(),
    completion: .found { Completion.Proposal(MapChoices.completions(of: $0.text)) },
    parse: { try MapList(parsing: $0) })

  static let highlight = Parameter<[[Highlight]]>.list(
    "highlight", "REGEX=COLOUR",
    "Colour text that matches a regular expression: 'REGEX=red'; or levels: lines of firmware by "
      + "severity. Can be repeated.",
    inSession: "colour matching text", completion: highlightCompletion,
    parse: { try Highlight.parsing($0) })

  static let show = Parameter<[Pattern]>.list(
    "show", "REGEX", "Show only lines that match. Can be repeated. Logs have all lines.",
    inSession: "show only some lines", parse: { try Pattern(parsing: $0) })

  static let hide = Parameter<[Pattern]>.list(
    "hide", "REGEX", "Hide lines that match. Can be repeated. Logs have all lines.",
    inSession: "hide lines", parse: { try Pattern(parsing: $0) })

  static let level = Parameter<LogLevel?>.option(
    "level", "LEVEL",
    "Hide lines of lower levels: \(LogLevel.expected). Finds the levels of ESP-IDF, Zephyr, Linux, "
      + "syslog and Rust.",
    inSession: "hide lower log levels",
    completion: .oneOf(LogLevel.allCases.map { Completion.Candidate($0.name) }),
    parse: { text throws(ValueError) in
      guard let level = LogLevel(parsing: text) else {
        throw ValueError(text, expected: LogLevel.expected)
      }
      return level
    })

  static let collapse = Parameter.flag(
    "collapse", "Show equal lines once, with their number.", inSession: "show equal lines once")

  static let filter = Parameter<String?>.option(
    "filter", "COMMAND",
    "Show the output of a command that reads the device's bytes. The log has the bytes as the device "
      + "sent them.",
    inSession: "filter the output", isConfigurable: false, completion: .command, parse: { $0 })

  static let raw = Parameter.flag(
    "raw", "Pass all escape sequences of the device to the terminal.",
    inSession: "pass every sequence")

  static let status = Parameter.flag("status", "Show a status line at the bottom of the screen.")

  static let scrollback = Parameter<Int>.option(
    "scrollback", "SIZE",
    "How much of what the device sent is kept to be searched: 256k, 4M, 1G; 0 for nothing.",
    standard: 4 << 20, shown: "4M",
    parse: { text throws(ValueError) in
      if text == "0" { return 0 }
      guard let size = try? LogRotation.size(parsing: text),
        (Scrollback.leastCapacity...scrollbackLimit).contains(size)
      else { throw ValueError(text, expected: "128k to 1G, or 0") }
      return size
    })

  private static let scrollbackLimit = 1 << 30

  static let plain = Parameter.flag(
    "plain", "Print lists once, with numbers, instead of drawing them: for screen readers.")

  static let section = ParameterSection(
    "VIEW",
    [
      hex, hexGap, frames, timestamps, map, TextParameters.encoding, show, hide, level,
      collapse, highlight, filter, raw, status, scrollback, plain,
    ])

  private static let timestampCompletion = Completion.oneOf(
    TimestampFormat.names.map { name in
      let kind = name.split(separator: ":").first.map(String.init) ?? name
      let unit = name == kind ? "" : ", in microseconds"
      return Completion.Candidate(name, "\(timestampDescriptions[kind] ?? "")\(unit)")
    })

  private static let timestampDescriptions = [
    "time": "time of day", "iso": "date and time", "delta": "seconds since the line before",
    "start": "seconds since the start", "epoch": "seconds since 1970",
  ]

  /// Completes the preset, or a colour after a regular expression.
  private static let highlightCompletion = Completion.found { request in
    guard let equals = request.text.lastIndex(of: "=") else {
      return Completion.Proposal([
        Completion.Candidate(Highlight.presetName, "lines of firmware by severity")
      ])
    }
    let expression = String(request.text[...equals])
    return Completion.Proposal(
      HighlightColour.names.map { Completion.Candidate(expression + $0) })
  }
}

extension Values {
  /// A message about a map that is easily misread; nil if there is none.
  ///
  /// picocom calls the change of CR to LF `crlf`, which looks like "send CR LF".
  var mapNote: String? {
    let items = all[ViewParameters.map.name]?.last?.split(separator: ",") ?? []
    if items.contains("to-device:crlf") {
      return "to-device:crlf is picocom's name for to-device:cr=lf: each CR is sent as LF. "
        + "To send CR LF for Enter: --line-ending crlf."
    }
    if items.contains("from-device:crlf") {
      return "from-device:crlf is picocom's name for from-device:cr=lf: each CR is shown as LF. "
        + "For lines that move down like stairs: from-device:lf=crlf."
    }
    return nil
  }

  /// The settings for showing received bytes that no command switches. ``SessionSetting/all`` has
  /// the others.
  var viewSettings: ViewSettings {
    ViewSettings(
      hexGap: .milliseconds(self[ViewParameters.hexGap]), isRaw: self[ViewParameters.raw])
  }
}

extension ChosenFrameForm {
  /// Parses the value of an option.
  ///
  /// - Throws: `ValueError`.
  init(ofOption text: String) throws(ValueError) {
    do throws(FrameFormError) {
      self = try ChosenFrameForm(parsing: text)
    } catch {
      throw ValueError(error.text, expected: error.expected)
    }
  }
}
