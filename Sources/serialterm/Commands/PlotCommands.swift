import Plotting
import TerminalFrontEnd

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
    needs: [.interactive, .screen], value: { $0.plotForm?.name ?? "auto" },
    argument: .oneOf("form of the numbers", SampleForm.choices) { $0.plotForm }
  ) { form, call in
    call.user?.readNumbers(as: form)
    call.answer(.done("numbers are read as \(form?.name ?? "they are detected")."))
  }

  static let writePlot = Command(
    nil, "write-plot", "write picture or values",
    or: ["save plot", "export", "svg", "picture", "screenshot", "values"], needs: [.plot]
  ) { call, user in
    user.askWhatToSave()
    call.answer(.done)
  }
}

extension SampleForm {
  /// The forms that can be chosen by name, and none to detect it.
  fileprivate static let choices: [(name: String, value: SampleForm?)] =
    [("auto", nil)] + named.map { ($0.name, $0.form) }
}
