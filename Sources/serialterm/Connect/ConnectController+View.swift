import SerialCore
import TerminalUI
import Views

/// The commands that change how things are shown.
extension ConnectController {
  /// Shows lines with the time in front in the last format that was used, or no longer.
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
          return [Choice(id: "", title: "none", detail: now == nil ? "now" : "")]
            + formats.map {
              Choice(id: "\($0)", title: "\($0)", detail: $0 == now ? "now" : "")
            }
        },
        onAnswer: { [unowned self] answer in
          let format = formats.first { "\($0)" == answer }
          if let format { lastTimestamps = format }
          model.update { $0.view.timestamps = format }
          sayTimestamps()
        }))
  }

  /// Sets off what was asked for, or the levels of log lines, or nothing any more.
  func toggleHighlights() {
    model.update {
      if $0.view.highlights.isEmpty { $0.view.highlights = Highlight.levels }
      $0.view.isHighlighting.toggle()
    }
    console.answer(["highlight is \(model.state.view.isHighlighting.onOff)."])
  }

  /// Shows what the command makes of the bytes, or the bytes.
  func toggleFilter() {
    if filter.isOn { filter.stop() } else { filter.start() }
    console.answer(["filter is \(model.state.isFiltering.onOff)."])
  }

  /// Asks for a change to make in a direction, or in either; one that is made already is undone.
  func askForMap(_ title: String, _ directions: [Direction]) {
    dialogs.ask(
      Question(
        title: title,
        choices: { [unowned model] _ in MapChoices.choices(of: directions, in: model.state.view.map)
        },
        onAnswer: { [unowned self] answer in
          guard let map = MapChoices.toggling(answer, in: model.state.view.map) else { return }
          model.update { $0.view.map = map }
          console.answer([map.rules.isEmpty ? "nothing is mapped." : "mapped: \(map)."])
        }))
  }
}
