/// A character of a chart in a terminal.
public struct ChartCell: Hashable, Sendable {
  /// What a character shows.
  public enum Kind: Hashable, Sendable {
    case blank
    /// A tick of an axis.
    case grid
    /// The time of the cursor.
    case cursor
    /// The line of a curve.
    case line
    /// The digit or letter of a curve.
    case marker
  }

  /// The character, one column wide.
  public fileprivate(set) var character: Character
  /// What it shows.
  public fileprivate(set) var kind: Kind
  /// The index of the curve that it belongs to, and whose colour it has.
  public fileprivate(set) var curve: Int?
}

/// A chart of characters.
///
/// With Unicode, a character has two columns and four rows of dots (U+2800…U+28FF), and the marker
/// of a curve stands at the end of its line. Without, a character that a curve touches is its
/// marker. A column shows all values from the lowest to the highest, so that no peak is missing.
public enum DotChart {
  private static let markers = Array("123456789abcdefghijklmnopqrstuvwxyz")

  /// The digit or letter of a curve: 1 to 9, then a to z, then `*`.
  ///
  /// - Parameter index: the index of the curve, from 0.
  public static func marker(ofCurve index: Int) -> Character {
    index < markers.count ? markers[index] : "*"
  }

  /// Draws the curves of a recording.
  ///
  /// Where several curves touch a character, it has the dots of all of them, and the colour of
  /// the last one.
  ///
  /// - Parameters:
  ///   - recording: the recording.
  ///   - view: the part that is seen.
  ///   - axes: the axes, at whose ticks a grid is drawn.
  ///   - columns: the number of columns.
  ///   - rows: the number of rows.
  ///   - dots: whether the terminal shows Unicode.
  /// - Returns: the rows from above.
  public static func cells(
    of recording: Recording, in view: ChartView, axes: (times: Axis, values: Axis), columns: Int,
    rows: Int, dots: Bool
  ) -> [[ChartCell]] {
    guard columns > 0, rows > 0 else { return [] }
    var cells = grid(in: view, axes: axes, columns: columns, rows: rows, dots: dots)
    var masks = [[UInt8]](repeating: [UInt8](repeating: 0, count: columns), count: rows)
    var newest: [(curve: Int, column: Int, rows: [Int?])] = []
    for (index, curve) in recording.curves.enumerated() where !view.hidden.contains(index) {
      // The row of the curve in each column, where its marker can stand.
      var curveRows = [Int?](repeating: nil, count: columns)
      let (width, height) = dots ? (2, 4) : (1, 1)
      forEachRun(
        of: curve, in: view, columns: columns * width, rows: rows * height
      ) { column, run in
        for row in run {
          let (x, y) = (column / width, row / height)
          curveRows[x] = y
          if dots {
            masks[y][x] |= dotBits[row % 4][column % 2]
            cells[y][x] = ChartCell(
              character: braille(masks[y][x]), kind: .line, curve: index)
          } else {
            cells[y][x] = ChartCell(
              character: marker(ofCurve: index), kind: .marker, curve: index)
          }
        }
      }
      guard dots, let column = curveRows.lastIndex(where: { $0 != nil }) else { continue }
      if let point = curve.value(at: view.times.upperBound),
        view.column(of: point.time, columns: columns) == column,
        let row = view.row(of: point.value, rows: rows)
      {
        curveRows[column] = row
      }
      newest.append((index, column, curveRows))
    }
    for (index, column, curveRows) in newest {
      // Another curve can have its newest point there; then the marker is a little to the left.
      for column in stride(from: column, through: max(column - 8, 0), by: -1) {
        guard let row = curveRows[column], cells[row][column].kind != .marker else { continue }
        cells[row][column] = ChartCell(
          character: marker(ofCurve: index), kind: .marker, curve: index)
        break
      }
    }
    return cells
  }

  // MARK: Background

  private static func grid(
    in view: ChartView, axes: (times: Axis, values: Axis), columns: Int, rows: Int, dots: Bool
  ) -> [[ChartCell]] {
    let blank = ChartCell(character: " ", kind: .blank)
    let tick = ChartCell(character: dots ? "·" : ".", kind: .grid)
    var cells = [[ChartCell]](
      repeating: [ChartCell](repeating: blank, count: columns), count: rows)
    let tickColumns = axes.times.ticks.compactMap {
      view.column(of: $0.position, columns: columns)
    }
    for row in axes.values.ticks.compactMap({ view.row(of: $0.position, rows: rows) }) {
      for column in dotColumns(between: tickColumns, columns) { cells[row][column] = tick }
    }
    for column in tickColumns {
      for row in 0..<rows { cells[row][column] = tick }
    }
    if let cursor = view.cursor, let column = view.column(of: cursor, columns: columns) {
      for row in 0..<rows {
        cells[row][column] = ChartCell(character: dots ? "│" : "|", kind: .cursor)
      }
    }
    return cells
  }

  /// The columns between two dots of a horizontal line of the grid.
  private static let dotDistance = 4

  /// The columns of the dots of a horizontal line: in regular distances, and such that each
  /// vertical line, at one of the ticks, passes through a dot.
  ///
  /// - Parameter ticks: the columns of the ticks, ascending.
  private static func dotColumns(between ticks: [Int], _ columns: Int) -> [Int] {
    guard let first = ticks.first, let last = ticks.last else {
      return Array(stride(from: 0, to: columns, by: dotDistance))
    }
    let between = zip(ticks, ticks.dropFirst()).flatMap { left, right in
      let count = max(1, (right - left + dotDistance / 2) / dotDistance)
      return (0..<count).map { left + ((right - left) * $0 + count / 2) / count }
    }
    return stride(from: first - dotDistance, through: 0, by: -dotDistance).reversed() + between
      + stride(from: last, to: columns, by: dotDistance)
  }

  // MARK: Dots

  /// The bits of the dots of a braille character, by row and column (Unicode 16, section 21.1).
  private static let dotBits: [[UInt8]] = [
    [0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80],
  ]

  private static func braille(_ mask: UInt8) -> Character {
    Character(Unicode.Scalar(0x2800 + UInt32(mask)) ?? " ")
  }

  /// Calls a closure with the dots of a curve: a column, and successive rows from above.
  private static func forEachRun(
    of curve: Curve, in view: ChartView, columns: Int, rows: Int,
    _ body: (_ column: Int, _ rows: ClosedRange<Int>) -> Void
  ) {
    let times = Scale(view.times)
    let values = Scale(view.values, isLogarithmic: view.isLogarithmic)
    guard times.isValid, values.isValid else { return }

    /// Fills a column between two heights, as fractions of the chart's height.
    func fill(_ column: Int, _ heights: (Double, Double)) {
      let (low, high) = (min(heights.0, heights.1), max(heights.0, heights.1))
      guard low <= 1, high >= 0 else { return }
      let bottom = min(Int(max(low, 0) * Double(rows)), rows - 1)
      let top = min(Int(min(high, 1) * Double(rows)), rows - 1)
      body(column, rows - 1 - top...rows - 1 - bottom)
    }
    /// Draws a line. A place is a column, whose middle is a whole number, and a height.
    func join(_ begin: (x: Double, y: Double), _ end: (x: Double, y: Double)) {
      // A value without a logarithm has no height, and a line does not lead to it.
      guard begin.y.isFinite, end.y.isFinite, begin.x < end.x else { return }
      let slope = (end.y - begin.y) / (end.x - begin.x)
      guard slope.isFinite else { return }
      let first = max(begin.x.rounded(), 0)
      let last = min(end.x.rounded(), Double(columns - 1))
      guard first <= last else { return }
      for column in Int(first)...Int(last) {
        let left = max(Double(column) - 0.5, begin.x)
        let right = min(Double(column) + 0.5, end.x)
        guard left <= right else { continue }
        fill(
          column, (begin.y + slope * (left - begin.x), begin.y + slope * (right - begin.x)))
      }
    }
    func place(of point: Point) -> (x: Double, y: Double) {
      (times.fraction(of: point.time) * Double(columns) - 0.5, values.fraction(of: point.value))
    }

    let neighbours = curve.neighbours(of: view.times)
    var last = neighbours.before.map(place)
    var isFirst = true
    for (column, span) in curve.columns(in: view.times, count: columns).enumerated() {
      guard let span else { continue }
      if let last, span.isJoined || isFirst {
        join(last, (Double(column), values.fraction(of: span.first)))
      }
      fill(column, (values.fraction(of: span.lowest), values.fraction(of: span.highest)))
      last = (Double(column), values.fraction(of: span.last))
      isFirst = false
    }
    if let last, let after = neighbours.after { join(last, place(of: after)) }
  }
}
