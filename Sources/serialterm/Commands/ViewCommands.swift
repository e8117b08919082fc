import Encodings
import Frames
import Options
import Patterns
import Terminal
import TextStages
import TextTools

/// The commands that change how the device's output is shown.
extension Command {
  static let hexView = toggle(
    "h", ViewParameters.hex.name, ViewParameters.hex.inSession,
    or: ["hexadecimal", "hex dump", "binary", "raw bytes"],
    needs: [.screen], \.view.isHex)

  static let frames = CommandWithArgument(
    nil, ViewParameters.frames.name, ViewParameters.frames.inSession,
    or: ["packets", "modbus", "nmea", "slip", "protocol"],
    users: [.person], needs: [.screen], value: { $0.view.frames.map { "\($0)" } },
    argument: .frameForm
  ) { form, call in
    call.port.model.update { $0.view.frames = form }
    call.answer(.done(form.map { "frames are shown: \($0)." } ?? "frames are off."))
  }

  static let timestamps = Command(
    "t", ViewParameters.timestamps.name, ViewParameters.timestamps.inSession,
    or: ["time", "clock", "time stamps"],
    needs: [.screen], value: { ($0.view.timestamps != nil).onOff }
  ) { call, _ in
    call.port.model.update {
      let isOn = $0.view.timestamps != nil
      $0.setTimestamps(isOn ? nil : $0.lastTimestamps)
    }
    call.answer(call.state.timestampsInWords)
  }

  static let timestampFormat = CommandWithArgument(
    nil, "timestamp-format", "set the time format",
    or: ["time format", "iso", "epoch", "delta", "microseconds"],
    users: [.person], needs: [.screen], value: { $0.view.timestamps.map { "\($0)" } },
    argument: .oneOf("timestamps", TimestampFormat.choices) { $0.view.timestamps }
  ) { format, call in
    call.port.model.update { $0.setTimestamps(format) }
    call.answer(call.state.timestampsInWords)
  }

  /// Toggles the highlights of the options; if there are none, those of log levels.
  static let highlight = Command(
    nil, ViewParameters.highlight.name, ViewParameters.highlight.inSession,
    or: ["colour", "color", "regex", "levels"],
    needs: [.screen, .colours, .filtered], value: { $0.view.isHighlighting.onOff }
  ) { call, _ in
    call.port.model.update {
      if $0.view.highlights.isEmpty { $0.view.highlights = Highlight.levels }
      $0.view.isHighlighting.toggle()
    }
    call.answer(.done("highlight is \(call.state.view.isHighlighting.onOff)."))
  }

  static let show = CommandWithArgument(
    nil, ViewParameters.show.name, ViewParameters.show.inSession,
    or: ["grep", "filter lines", "only", "matching lines"],
    users: [.person], needs: [.screen, .filtered], value: { $0.view.lines.shown.inWords },
    argument: .patterns("show lines that match") { $0.view.lines.shown }
  ) { patterns, call in
    call.port.model.update { $0.view.lines.shown = patterns }
    call.answer(.done("shown: \(patterns.isEmpty ? "all lines" : patterns.inWords)."))
  }

  static let hide = CommandWithArgument(
    nil, ViewParameters.hide.name, ViewParameters.hide.inSession,
    or: ["exclude", "grep -v", "filter lines", "ignore", "mute"],
    users: [.person], needs: [.screen, .filtered], value: { $0.view.lines.hidden.inWords },
    argument: .patterns("hide lines that match") { $0.view.lines.hidden }
  ) { patterns, call in
    call.port.model.update { $0.view.lines.hidden = patterns }
    call.answer(.done("hidden: \(patterns.inWords)."))
  }

  static let level = CommandWithArgument(
    nil, ViewParameters.level.name, ViewParameters.level.inSession,
    or: ["log level", "severity", "errors", "warnings", "verbose"],
    users: [.person], needs: [.screen, .filtered], value: { $0.view.lines.level?.name ?? "all" },
    argument: .oneOf("lowest level", [("all", nil)] + LogLevel.allCases.map { ($0.name, $0) }) {
      $0.view.lines.level
    }
  ) { level, call in
    call.port.model.update { $0.view.lines.level = level }
    call.answer(.done("the lowest level is \(level?.name ?? "not limited")."))
  }

  static let pause = toggle(
    nil, "pause", "let the screen stand", or: ["freeze", "hold", "stop scrolling", "scroll lock"],
    needs: [.screen, .scrollback], \.isPaused)

  static let collapse = toggle(
    nil, ViewParameters.collapse.name, ViewParameters.collapse.inSession,
    or: ["duplicates", "repeated lines", "uniq"],
    needs: [.screen, .filtered], \.view.lines.collapses)

  static let encoding = CommandWithArgument(
    nil, TextParameters.encoding.name, TextParameters.encoding.inSession,
    or: ["charset", "codepage", "character set", "iconv", "latin1", "gbk", "shift-jis"],
    users: [.person], needs: [.screen], value: { "\($0.view.encoding)" }, argument: .encoding
  ) { encoding, call in
    call.port.model.update { $0.view.encoding = encoding }
    call.answer(.done("the encoding is \(encoding)."))
  }

  static let filter = Command(
    nil, ViewParameters.filter.name, ViewParameters.filter.inSession,
    or: ["pipe", "decode", "grep"],
    needs: [.screen, .filter], value: { $0.isFiltering.onOff }
  ) { call, user in
    user.toggleFilter()
    call.answer(.done("filter is \(call.state.isFiltering.onOff)."))
  }

  static let raw = toggle(
    nil, ViewParameters.raw.name, ViewParameters.raw.inSession,
    or: ["escape sequences", "unfiltered", "pass through"],
    needs: [.screen, .onePort], \.view.isRaw)

  static let statusLine = toggle(
    nil, "status-line", "show a status line", or: ["status bar", "statusbar", "footer"],
    needs: [.drawing], \.showsStatus)

  static let clearScreen = Command(
    "l", "clear", "clear the screen", or: ["cls", "erase", "wipe"], needs: [.screen]
  ) { call, user in
    user.clearScreen()
    call.answer(.done)
  }

  static let viewCommands: [Command] = [
    hexView, frames.command, timestamps, timestampFormat.command, encoding.command, show.command,
    hide.command, level.command, collapse, pause, highlight, filter,
    raw,
  ]

  static let screenCommands: [Command] = [statusLine, clearScreen]
}

extension SessionSetting {
  static let view = [
    flag(ViewParameters.hex, \.view.isHex),
    SessionSetting(
      ViewParameters.frames, texts: { $0.view.frames.map { ["\($0)"] } ?? [] },
      adopt: { values, state in state.view.frames = values[ViewParameters.frames] }),
    SessionSetting(
      ViewParameters.timestamps, texts: { $0.view.timestamps.map { ["\($0)"] } ?? [] },
      adopt: { values, state in state.setTimestamps(values[ViewParameters.timestamps]) }),
    SessionSetting(
      TextParameters.encoding, texts: { ["\($0.view.encoding)"] },
      adopt: { values, state in state.view.encoding = values[TextParameters.encoding] }),
    SessionSetting(
      ViewParameters.show, texts: { $0.view.lines.shown.map(\.text) },
      adopt: { values, state in state.view.lines.shown = values[ViewParameters.show] }),
    SessionSetting(
      ViewParameters.hide, texts: { $0.view.lines.hidden.map(\.text) },
      adopt: { values, state in state.view.lines.hidden = values[ViewParameters.hide] }),
    SessionSetting(
      ViewParameters.level, texts: { $0.view.lines.level.map { [$0.name] } ?? [] },
      adopt: { values, state in state.view.lines.level = values[ViewParameters.level] }),
    flag(ViewParameters.collapse, \.view.lines.collapses),
    flag(ViewParameters.raw, \.view.isRaw),
  ]

  static let screen = [
    SessionSetting(
      ViewParameters.highlight,
      texts: {
        guard $0.view.isHighlighting else { return [] }
        // No command changes the user's own expressions.
        return $0.view.highlights == Highlight.levels ? [Highlight.presetName] : nil
      },
      adopt: { values, state in
        state.view.highlights = values[ViewParameters.highlight].flatMap { $0 }
        state.view.isHighlighting = !state.view.highlights.isEmpty
      }),
    flag(ViewParameters.status, \.showsStatus, needs: [.drawing], isShared: true),
  ]
}

extension TerminalState {
  /// Shows timestamps in a format, or none. The last format is kept for switching them on again.
  fileprivate mutating func setTimestamps(_ format: TimestampFormat?) {
    if let format = format ?? view.timestamps { lastTimestamps = format }
    view.timestamps = format
  }

  fileprivate var timestampsInWords: CommandOutcome {
    .done("timestamps are \(view.timestamps.map { "on: \($0)" } ?? "off").")
  }
}

extension TimestampFormat {
  /// All formats, and none, by their names.
  fileprivate static let choices: [(name: String, value: TimestampFormat?)] =
    [("none", nil)]
    + Kind.allCases.flatMap { kind in
      Precision.allCases.map { precision in
        let format = TimestampFormat(kind, precision)
        return ("\(format)", format)
      }
    }
}

extension ArgumentKind<ChosenFrameForm?> {
  /// A form of frames, or none.
  fileprivate static let frameForm = text(
    "frames", expected: ViewParameters.frames.declaration.expected,
    [Suggestion(text: "none", detail: "text")]
      + ChosenFrameForm.choices.map {
        Suggestion(text: $0.start, detail: $0.summary, isStart: $0.isBeginning)
      },
    now: { $0.view.frames.map { "\($0)" } ?? "none" },
    parse: { $0 == "none" ? nil : try ChosenFrameForm(parsing: $0) })
}

extension ArgumentKind<[Pattern]> {
  /// Regular expressions: a user types one, or none to remove all.
  fileprivate static func patterns(
    _ title: String, now: @escaping @Sendable (TerminalState) -> [Pattern]
  ) -> Self {
    text(
      title, expected: "a regular expression, or none",
      [Suggestion(text: "none", detail: "all lines")],
      now: { now($0).isEmpty ? "none" : nil },
      parse: { $0 == "none" ? [] : [try Pattern(parsing: $0)] })
  }
}

extension [Pattern] {
  /// The expressions as text: /error/, /warn/; "none" if there are none.
  fileprivate var inWords: String {
    isEmpty ? "none" : map { "/\($0.text.harmless)/" }.joined(separator: ", ")
  }
}

extension ArgumentKind<Encoding> {
  /// An encoding: a common one, or any other by its name.
  fileprivate static let encoding = text(
    "encoding", expected: "a name of iconv",
    CommonEncoding.all.map { Suggestion(text: $0.name, detail: $0.summary) },
    now: { "\($0.view.encoding)" }, parse: { try Encoding($0) })
}

/// The commands for the scrollback.
extension Command {
  static let search = Command(
    "/", "search", "search the scrollback",
    or: ["find", "grep", "less", "pager", "history", "scroll back", "page up"],
    needs: [.screen, .scrollback]
  ) { call, user in
    user.openSearch()
    call.answer(.done)
  }

  static let writeText = Command(
    nil, "write-text", "write scrollback to file",
    or: ["save text", "export", "scrollback", "save output", "dump"],
    needs: [.screen, .scrollback]
  ) { call, user in
    user.askWhatToWrite()
    call.answer(.done)
  }

  static let searchCommands: [Command] = [search, writeText]
}
