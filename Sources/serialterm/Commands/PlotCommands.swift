import Patterns
import Plotting
import Terminal
import TextTools

/// The commands for the plot of the numbers that the device sends.
extension Command {
  static let plot = Command(
    "y", "plot", "plot the numbers", or: ["graph", "chart", "curve", "plotter", "draw", "y axis"],
    needs: [.screen, .filtered, .numbers], value: { $0.showsPlot.onOff }
  ) { call, user in
    call.answer(user.showPlot())
  }

  static let plotForm = CommandWithArgument(
    nil, "plot-form", "set the form of numbers",
    or: ["csv", "json", "teleplot", "arduino", "parse", "labels"],
    users: [.person], needs: [.screen], value: { $0.plotForm?.name ?? "auto" },
    argument: .oneOf("form of the numbers", SampleForm.choices) { $0.plotForm }
  ) { form, call in
    call.user?.readNumbers(as: form)
    call.answer(
      .done(form.map { "numbers are read as \($0.name)." } ?? "the form of numbers is detected."))
  }

  static let plotMatch = CommandWithArgument(
    nil, "plot-match", "plot what a regex finds",
    or: ["regular expression", "numbers in text", "extract"],
    users: [.person], needs: [.screen], argument: .numberExpression
  ) { pattern, call in
    call.user?.readNumbers(as: .pattern(pattern))
    let example = "\(pattern.text)([-0-9.]+)".harmless
    call.answer(
      .done(
        "numbers are read by /\(pattern.text.harmless)/."
          + (pattern.groupCount > 0
            ? "" : " All of a match is the number; a group picks it: \(example).")))
  }

  static let writePlot = Command(
    nil, "write-plot", "write picture or values",
    or: ["save plot", "export plot", "svg", "picture", "screenshot", "values"], needs: [.plot]
  ) { call, user in
    user.askWhatToSave()
    call.answer(.done)
  }
}

extension ArgumentKind<Pattern> {
  /// A regular expression whose groups are numbers.
  fileprivate static let numberExpression = text(
    "regular expression", expected: "a regular expression: T=(?<temp>[-0-9.]+)",
    parse: { try Pattern(parsing: $0, capturing: true) })
}

extension SampleForm {
  /// The forms that can be chosen by name, and none to detect it.
  fileprivate static let choices: [(name: String, value: SampleForm?)] =
    [("auto", nil)] + named.map { ($0.name, $0.form) }
}
