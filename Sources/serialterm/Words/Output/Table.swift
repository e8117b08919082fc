import Terminal
import TerminalWidgets
import TextTools

/// Rows of text in columns. Cells may come from a device, so they are made harmless for a terminal.
struct Table {
  let header: [String]
  var rows: [[String]] = []

  /// The lines. Columns are padded to their widest cell; lines have no trailing spaces.
  var lines: [String] {
    let all = [header] + rows.map { $0.map(\.harmless.forTerminal) }
    let widths = header.indices.map { column in all.map { $0[column].displayWidth }.max() ?? 0 }
    return all.map { row in
      let padded = zip(row, widths).map { cell, width in
        cell + String(repeating: " ", count: width - cell.displayWidth)
      }
      let line = padded.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed())
    }
  }
}
