import Plotting
import Terminal
import Time

/// The picture of a plot.
enum PlotPicture {
  /// The size of a picture in pixels.
  struct Size: Hashable {
    var width = SVGChart.standardWidth
    /// The height; nil for as much as curves of the standard height need.
    var height: Int?

    static let widths = 320...4_096
    static let heights = 120...4_096
  }

  /// The document (SVG) of what is shown.
  ///
  /// - Throws: ``Failure`` if there are no numbers.
  static func document(
    of recording: Recording, _ settings: PlotSettings, _ kind: ChartView.TimeKind, title: String?,
    size: Size = Size()
  ) throws(Failure) -> String {
    guard let view = settings.view(of: recording, timeKind: kind) else { throw noNumbers }
    return SVGChart.text(
      of: recording, in: view, title: title, width: size.width, height: size.height,
      calendar: CalendarTime.init(local:))
  }

  /// Writes the document of what is shown to a file. Nothing is written if there are no numbers.
  ///
  /// - Throws: ``Failure``.
  static func write(
    to path: String, _ recording: Recording, _ settings: PlotSettings, _ kind: ChartView.TimeKind,
    title: String? = nil
  ) throws(Failure) {
    let text = try document(of: recording, settings, kind, title: title)
    let output = try FileOutput(path)
    try output.write(Array(text.utf8))
    try output.finish()
  }

  /// The failure of a plot without numbers.
  static let noNumbers = Failure(
    .otherFailure,
    """
    no numbers were found. --form names the form of the lines; --match is a regular expression with a \
    group for the number: 'T=([-0-9.]+)'.
    """
  )
}
