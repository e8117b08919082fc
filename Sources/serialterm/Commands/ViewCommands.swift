import Encodings
import Framing
import Options
import Patterns
import Terminal
import TextStages
import TextTools

/// The commands that change how the device's output is shown.
extension Command {
  static let timestamps = Command(
    "t", "timestamps", "timestamp each line",
    or: ["time", "clock", "time stamps", "date"],
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
    nil, "highlight", "colour matching text", or: ["colour", "color", "regex", "levels"],
    needs: [.screen, .colours, .filtered], value: { $0.view.isHighlighting.onOff }
  ) { call, _ in
    call.port.model.update {
      if $0.view.highlights.isEmpty { $0.view.highlights = Highlight.levels }
      $0.view.isHighlighting.toggle()
    }
    let view = call.state.view
    let what =
      view.isHighlighting && view.highlights == Highlight.levels
      ? " Log levels have colours; --highlight colours other text." : ""
    call.answer(.done("highlight is \(view.isHighlighting.onOff).\(what)"))
  }

  static let pause = toggle(
    nil, "pause", "let the screen stand",
    or: ["freeze", "hold", "stop scrolling", "scroll lock", "autoscroll"],
    needs: [.screen, .scrollback], \.isPaused)

  static let filter = Command(
    nil, ViewParameters.filter.name, "filter the output",
    or: ["pipe", "decode", "grep"],
    needs: [.screen, .filter], value: { $0.isFiltering.onOff }
  ) { call, user in
    user.toggleFilter()
    call.answer(.done("filter is \(call.state.isFiltering.onOff)."))
  }

  static let clearScreen = Command(
    "l", "clear", "clear the screen", or: ["cls", "erase", "wipe"], needs: [.screen]
  ) { call, user in
    user.clearScreen()
    call.answer(.done)
  }
}

extension TerminalState {
  /// Shows timestamps in a format, or none. The last format is kept for switching them on again.
  mutating func setTimestamps(_ format: TimestampFormat?) {
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

/// The commands for the scrollback.
extension Command {
  static let search = Command(
    "/", "search", "search the output",
    or: ["find", "grep", "scrollback", "less", "pager", "history", "scroll back", "page up"],
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
}
