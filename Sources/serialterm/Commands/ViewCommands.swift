import Options
import Terminal
import TextStages

/// The commands that change how the device's output is shown.
extension Command {
  static let hexView = toggle(
    "h", ViewParameters.hex.name, ViewParameters.hex.inSession,
    or: ["hexadecimal", "hex dump", "binary", "raw bytes"],
    needs: [.screen], \.view.isHex)

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
    needs: [.interactive, .screen], value: { $0.view.timestamps.map { "\($0)" } },
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

  static let filter = Command(
    nil, ViewParameters.filter.name, ViewParameters.filter.inSession,
    or: ["pipe", "decode", "grep"],
    needs: [.screen, .filter], value: { $0.isFiltering.onOff }
  ) { call, user in
    user.toggleFilter()
    call.answer(.done("filter is \(call.state.isFiltering.onOff)."))
  }

  static let statusLine = toggle(
    nil, "status-line", "show a status line", or: ["status bar", "statusbar", "footer"],
    needs: [.drawing], \.showsStatus)

  static let clearScreen = Command(
    "l", "clear", "clear the screen", or: ["cls", "erase", "wipe"], needs: [.screen]
  ) { call, user in
    user.clearScreen()
    call.answer(.done)
  }
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
