import SerialCore
import TerminalUI
import Views

/// The commands that change how the output is shown.
extension ConnectController {
  /// Toggles timestamps, in the format that was used last.
  func toggleTimestamps() {
    let format = lastTimestamps
    if let shown = model.state.view.timestamps { lastTimestamps = shown }
    model.update { $0.view.timestamps = $0.view.timestamps == nil ? format : nil }
    sayTimestamps()
  }

  private func sayTimestamps() {
    console.answer(
      ["timestamps are \(model.state.view.timestamps.map { "on: \($0)" } ?? "off")."])
  }

  func askForTimestampFormat() {
    let formats = TimestampFormat.Kind.allCases.flatMap { kind in
      TimestampFormat.Precision.allCases.map { TimestampFormat(kind, $0) }
    }
    dialogs.ask(
      Question(
        title: "timestamps",
        choices: { [unowned model] _ in
          let now = model.state.view.timestamps
          return [Choice<TimestampFormat?>(nil, "none", isCurrent: now == nil)]
            + formats.map { Choice($0, "\($0)", isCurrent: $0 == now) }
        },
        onAnswer: { [unowned self] format in
          if let format { lastTimestamps = format }
          model.update { $0.view.timestamps = format }
          sayTimestamps()
        }))
  }

  /// Toggles highlights: those of the options, else those of log levels.
  func toggleHighlights() {
    model.update {
      if $0.view.highlights.isEmpty { $0.view.highlights = Highlight.levels }
      $0.view.isHighlighting.toggle()
    }
    console.answer(["highlight is \(model.state.view.isHighlighting.onOff)."])
  }

  /// Starts or stops the filter command.
  func toggleFilter() {
    if filter.isOn { filter.stop() } else { filter.start() }
    console.answer(["filter is \(model.state.isFiltering.onOff)."])
  }

  /// Asks what Enter is to send.
  func askForLineEnding() {
    dialogs.ask(
      Question(
        title: "line ending",
        choices: { [unowned model] _ in
          let now = model.state.lineEnding
          return LineEnding.allCases.map { Choice($0, $0.rawValue, isCurrent: $0 == now) }
        },
        onAnswer: { [unowned self] lineEnding in
          model.update { $0.lineEnding = lineEnding }
          console.answer(["Enter sends \(lineEnding.rawValue)."])
        }
      ).whileOn(.lineEnding, in: model))
  }

  /// Asks for a map to switch on or off.
  func askForMap(_ title: String, _ directions: [Direction]) {
    dialogs.ask(
      Question(
        title: title,
        choices: { [unowned model] _ in
          MapChoices.choices(of: directions, in: model.state.view.map)
        },
        onAnswer: { [unowned self] rule in
          guard let rule, let map = MapChoices.toggling(rule, in: model.state.view.map)
          else { return }
          model.update { $0.view.map = map }
          console.answer([map.rules.isEmpty ? "nothing is mapped." : "mapped: \(map)."])
        }))
  }
}
