import Logs
import Plotting
import TerminalFrontEnd
import Views

/// The picture of a plot, and the table of its values, for files.
enum PlotPicture {
  /// The document (SVG) of what is shown.
  ///
  /// - Throws: ``Failure`` if there are no numbers.
  static func document(
    of recording: Recording, _ settings: PlotSettings, _ kind: ChartView.TimeKind, title: String?
  ) throws(Failure) -> String {
    guard let view = settings.view(of: recording, timeKind: kind) else { throw noNumbers }
    return SVGChart.text(
      of: recording, in: view, title: title, calendar: CalendarTime.init(local:))
  }

  /// The failure of a plot without numbers.
  static let noNumbers = Failure(
    .otherFailure,
    "no numbers were found. --form names the form of the lines, --match a regular expression for them."
  )
}
