import Plotting
import Terminal
import TerminalWidgets

/// The curves of a recording as a table: for screen readers, and for output that is not a screen.
enum PlotTable {
  /// Prints the table on standard output.
  ///
  /// - Throws: `OutputGone`.
  static func print(_ recording: Recording) throws(OutputGone) {
    for row in rows(of: recording) { try StandardStream.output.print(row + "\n") }
  }

  /// A header, and a row for each curve.
  static func rows(of recording: Recording) -> [String] {
    let header = ["series", "newest", "minimum", "maximum", "values"]
    let rows = recording.curves.map { curve in
      let numbers = [curve.newest, curve.extremes?.lowerBound, curve.extremes?.upperBound]
      let unit = curve.unit.map { " [\($0)]" } ?? ""
      return [curve.name + unit] + numbers.map { $0.map(PlotPanel.text) ?? "-" }
        + ["\(curve.count)"]
    }
    return Table(header: header, rows: rows).lines
  }
}
