import PlainText
import TerminalFrontEnd
import TerminalUI

/// Rows of text in columns. The cells may come from a device: they are shown as harmless text.
struct Table {
  let header: [String]
  var rows: [[String]] = []

  /// The lines, columns padded to their widest entry, without spaces at the end.
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
