import Plotting
import Terminal
import TerminalWidgets

/// Asks for settings of a plot that are typed.
struct PlotQuestions {
  private let dialogs: Dialogs
  private unowned let display: PlotDisplay

  init(on dialogs: Dialogs, _ display: PlotDisplay) {
    (self.dialogs, self.display) = (dialogs, display)
  }

  /// Asks for the length of the window.
  func askForWindow() {
    let names = ["10s", "1m", "10m", "1h", "500", "all"]
    ask(
      "length of the window", choices: names,
      expected: "a time (30s, 10m), a number of points, or all",
      parse: { try? PlotSettings.Window(parsing: $0) },
      set: { settings, window in
        settings.window = window
        settings.follow()
      })
  }

  /// Asks for the range of values.
  func askForRange() {
    ask(
      "range of values", choices: ["auto"], expected: "two numbers, 0:100, or auto",
      parse: { $0 == "auto" ? .some(nil) : ClosedRange(parsing: $0).map { .some($0) } },
      set: { $0.range = $1 })
  }

  /// Asks for a value.
  private func ask<Value>(
    _ title: String, choices: [String], expected: String, parse: @escaping (String) -> Value?,
    set: @escaping (inout PlotSettings, Value) -> Void
  ) {
    let question = Question<String>(
      title: title, expected: expected,
      choices: { typed in
        let listed = choices.map { Choice(id: $0, title: $0) }
        guard !typed.isEmpty, !choices.contains(typed) else { return listed }
        let refusal = parse(typed) == nil ? "expected \(expected)" : nil
        return [.typed(typed, complaint: refusal)] + listed
      },
      onAnswer: { [weak display] text in
        guard let display, let value = parse(text) else { return }
        set(&display.settings, value)
      })
    dialogs.ask(question)
  }
}
