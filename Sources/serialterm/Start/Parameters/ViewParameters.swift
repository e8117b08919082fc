import Patterns
import Framing
import Logs
import Options
import Scrollback
import Terminal
import TextStages
import TextTools

/// The parameters for showing received bytes.
enum ViewParameters {
  static let hex = Setting.flag(
    .flag("hex", letter: "x", "Show bytes as hexadecimal numbers."), \.view.isHex,
    key: "h", "show bytes in hex", or: ["hexadecimal", "hex dump", "binary", "raw bytes"],
    needs: [.screen])

  static let hexGap = Parameter<Int>.milliseconds(
    "hex-gap", "Milliseconds of silence that end a row of the hex view.", 1...60_000, standard: 50)

  static let frames = Setting.optional(
    .option(
      "frames", "FORM",
      "Show and log frames, each with its time and its check, instead of text: "
        + ChosenFrameForm.choices.map(\.usage).joined(separator: ", ") + ".",
      completion: .oneOf(
        ChosenFrameForm.choices.map {
          Completion.Candidate($0.start, $0.summary, isBeginning: $0.isBeginning)
        }),
      parse: { try ChosenFrameForm(ofOption: $0) }),
    \.view.frames, "show frames", or: ["packets", "modbus", "nmea", "slip", "protocol"],
    needs: [.screen],
    argument: .text(
      "frames", expected: "a form of frames, or none",
      [Suggestion(text: "none", detail: "text")]
        + ChosenFrameForm.choices.map {
          Suggestion(text: $0.start, detail: $0.summary, isStart: $0.isBeginning)
        },
      now: { $0.view.frames.map { "\($0)" } ?? "none" },
      parse: { $0 == "none" ? nil : try ChosenFrameForm(parsing: $0) }),
    text: { "\($0)" }, answer: { $0.map { "frames are shown: \($0)." } ?? "frames are off." })

  static let timestamps = Setting(
    .option(
      "timestamps", letter: "t", "FORMAT", implied: "time",
      "Show the time of each line: time (without FORMAT), iso, delta, start or epoch; with :us in "
        + "microseconds.",
      completion: timestampCompletion, parse: { try TimestampFormat(parsing: $0) }),
    changedBy: [.timestamps, Command.timestampFormat.command],
    texts: { $0.view.timestamps.map { ["\($0)"] } ?? [] },
    adopt: { format, state in state.setTimestamps(format) })

  static let map = Setting(
    .option(
      "map", letter: "m", "LIST",
      "Change characters: from-device:cr=lf, to-device:lf=crlf and others, with commas between; or "
        + "tio's names, such as ICRNL.",
      standard: MapList(),
      completion: .found { Completion.Proposal(MapChoices.completions(of: $0.text)) },
      parse: { try MapList(parsing: $0) }),
    changedBy: Command.mapCommands,
    texts: { $0.view.map.rules.isEmpty ? [] : ["\($0.view.map)"] },
    adopt: { map, state in state.view.map = map })

  static let highlight = Setting(
    .list(
      "highlight", "REGEX=COLOUR",
      "Colour text that matches a regular expression: 'REGEX=red'; or levels: lines of firmware by "
        + "severity. Can be repeated.",
      completion: highlightCompletion, parse: { try Highlight.parsing($0) }),
    changedBy: [.highlight],
    texts: {
      guard $0.view.isHighlighting else { return [] }
      // No command changes the user's own expressions.
      return $0.view.highlights == Highlight.levels ? [Highlight.presetName] : nil
    },
    adopt: { highlights, state in
      state.view.highlights = highlights.flatMap { $0 }
      state.view.isHighlighting = !state.view.highlights.isEmpty
    })

  static let show = Setting.patterns(
    .list(
      "show", "REGEX", "Show only lines that match. Can be repeated. Logs have all lines.",
      parse: { try Pattern(parsing: $0) }),
    \.view.lines.shown, "show only some lines", asking: "show lines that match",
    or: ["grep", "filter lines", "only", "matching lines"],
    answer: { "shown: \($0.isEmpty ? "all lines" : $0.inWords)." })

  static let hide = Setting.patterns(
    .list(
      "hide", "REGEX", "Hide lines that match. Can be repeated. Logs have all lines.",
      parse: { try Pattern(parsing: $0) }),
    \.view.lines.hidden, "hide lines", asking: "hide lines that match",
    or: ["exclude", "grep -v", "filter lines", "ignore", "mute"],
    answer: { "hidden: \($0.inWords)." })

  static let level = Setting.optional(
    .option(
      "level", "LEVEL",
      "Hide lines of lower levels: \(LogLevel.expected). Finds the levels of ESP-IDF, Zephyr, Linux, "
        + "syslog and Rust.",
      completion: .oneOf(LogLevel.allCases.map { Completion.Candidate($0.name) }),
      parse: { text throws(ValueError) in
        guard let level = LogLevel(parsing: text) else {
          throw ValueError(text, expected: LogLevel.expected)
        }
        return level
      }),
    \.view.lines.level, "hide lower log levels",
    or: ["log level", "severity", "errors", "warnings", "verbose"], needs: [.screen, .filtered],
    argument: .oneOf("lowest level", [("all", nil)] + LogLevel.allCases.map { ($0.name, $0) }) {
      $0.view.lines.level
    },
    none: "all", text: \.name,
    answer: { "the lowest level is \($0?.name ?? "not limited")." })

  static let collapse = Setting.flag(
    .flag("collapse", "Show equal lines once, with their number."), \.view.lines.collapses,
    "show equal lines once", or: ["duplicates", "repeated lines", "uniq"],
    needs: [.screen, .filtered])

  static let filter = Parameter<String?>.option(
    "filter", "COMMAND",
    "Show the output of a command that reads the device's bytes. The log has the bytes as the device "
      + "sent them.",
    isConfigurable: false, completion: .command, parse: { $0 })

  static let raw = Setting.flag(
    .flag("raw", "Pass all escape sequences of the device to the terminal."), \.view.isRaw,
    "pass every sequence", or: ["escape sequences", "unfiltered", "pass through"],
    needs: [.screen, .onePort])

  static let status = Setting.flag(
    .flag("status", "Show a status line at the bottom of the screen."), \.showsStatus,
    key: "u", named: "status-line", "show a status line",
    or: ["status bar", "statusbar", "footer"], needs: [.drawing], onlyIf: [.drawing],
    isShared: true
  ) { call, isOn in
    if call.isFromUser { call.user?.rememberStatusLine(isOn) }
  }

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

  static let all: [any Declared] = [
    hex, hexGap, frames, timestamps, map, TextParameters.encoding, show, hide, level, collapse,
    highlight, filter, raw, status, scrollback, plain,
  ]

  static let section = ParameterSection("VIEW", all)

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

  /// The settings for showing received bytes that no command changes. ``SessionSettings``
  /// has the others.
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

extension Setting<[Pattern]> {
  /// Regular expressions of lines: a user types one, or none to remove all.
  fileprivate static func patterns(
    _ option: Parameter<[Pattern]>,
    _ part: any WritableKeyPath<TerminalState, [Pattern]> & Sendable,
    _ summary: String, asking title: String, or synonyms: [String],
    answer: @escaping @Sendable ([Pattern]) -> String
  ) -> Setting {
    value(
      option, part, summary, or: synonyms, needs: [.screen, .filtered],
      argument: .text(
        title, expected: "a regular expression, or none",
        [Suggestion(text: "none", detail: "all lines")],
        now: { $0[keyPath: part].isEmpty ? "none" : nil },
        parse: { $0 == "none" ? [] : [try Pattern(parsing: $0)] }),
      shown: \.inWords, texts: { $0.map(\.text) }, answer: answer)
  }
}

extension [Pattern] {
  /// The expressions as text: /error/, /warn/; "none" if there are none.
  fileprivate var inWords: String {
    isEmpty ? "none" : map { "/\($0.text.harmless)/" }.joined(separator: ", ")
  }
}
