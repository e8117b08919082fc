package import Patterns
package import Scrollback
package import TerminalWidgets
import TextStages
import TextTools
import Time

/// Draws one row for a line of the scrollback: its time, and its text with highlighted matches.
package struct SearchRow {
  /// The width of the screen, in columns.
  let width: Int
  /// The expression whose matches are highlighted.
  let pattern: Pattern?
  /// Whether the times include the date, because some lines are from an earlier day.
  var hasDates = true
  /// The number of columns of text that are hidden at the left; nil to make the
  /// first match visible.
  var shift: Int?

  /// Draws lines with their dates.
  package init(width: Int, pattern: Pattern?) {
    self.width = width
    self.pattern = pattern
  }

  /// The maximum number of steps for finding the matches in a line.
  private static let budget = 200_000
  /// The minimum width of a screen with times.
  private static let leastWidth = 40

  /// Draws the row of a line.
  ///
  /// - Parameter text: the text of the line, in UTF-8.
  func row(
    of line: ScrollbackLine, text: UnsafeRawBufferPointer, isSelected: Bool
  ) -> StyledLine {
    var row = StyledLine(isSelected ? ">" : " ", isSelected ? .bold : [])
    if width >= Self.leastWidth { row.append(time(of: line) + " ", .dimmed) }
    let scalars = Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    append(scalars, in: width - row.width, isMark: line.isMark, to: &row)
    return row
  }

  /// Draws the rows of all lines that a search has found.
  package func rows(of search: ScrollbackSearch) -> [StyledLine] {
    var (rows, text) = ([StyledLine](), search.scrollback.lineText())
    var next = search.scrollback.lines.lowerBound
    while let number = search.match(from: next) {
      search.scrollback.withLine(number) { line in
        rows.append(
          text.with(line.bytes, isUTF8: line.isMark) { row(of: line, text: $0, isSelected: false) })
      }
      next = number + 1
    }
    return rows
  }

  private func append(
    _ scalars: [Unicode.Scalar], in room: Int, isMark: Bool, to row: inout StyledLine
  ) {
    let isMatch = matches(in: scalars)
    // The column of each Unicode scalar, and of the end.
    var columns = [0]
    for scalar in scalars {
      let column = columns[columns.count - 1]
      columns.append(
        scalar == "\t" ? CursorPlace.tabStop(after: column) : column + scalar.displayWidth)
    }
    let first = firstColumn(columns, isMatch, room: room)
    if first > 0 { row.append("…", .dimmed) }
    let room = first > 0 ? room - 1 : room
    for (index, scalar) in scalars.enumerated() where columns[index] >= first {
      guard columns[index + 1] - first < room || index == scalars.count - 1 else {
        return row.append("…", .dimmed)
      }
      let style: StyledLine.Style = isMatch[index] ? [.bold, .underlined] : isMark ? .dimmed : []
      let text =
        scalar == "\t"
        ? String(repeating: " ", count: columns[index + 1] - columns[index]) : String(scalar)
      row.append(text, style)
    }
  }

  /// The first visible column of the text.
  private func firstColumn(_ columns: [Int], _ isMatch: [Bool], room: Int) -> Int {
    if let shift { return columns[columns.count - 1] > room ? shift : 0 }
    guard let match = isMatch.firstIndex(of: true) else { return 0 }
    let end = isMatch[match...].firstIndex(of: false) ?? isMatch.count
    return columns[end] < room ? 0 : max(0, columns[match] - room / 3)
  }

  private func matches(in scalars: [Unicode.Scalar]) -> [Bool] {
    var result = Array(repeating: false, count: scalars.count)
    var budget = Self.budget
    for match in pattern?.matches(in: scalars.map(\.value), budget: &budget) ?? [] {
      for index in match { result[index] = true }
    }
    return result
  }

  private func time(of line: ScrollbackLine) -> String {
    let time = CalendarTime(local: line.time / 1_000)
    let date = hasDates ? "\(Self.digits(time.month))-\(Self.digits(time.day)) " : ""
    let clock = [time.hour, time.minute, time.second].map { Self.digits($0) }
    return date + clock.joined(separator: ":") + "." + Self.digits(Int(line.time % 1_000), count: 3)
  }

  private static func digits(_ number: Int, count: Int = 2) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
