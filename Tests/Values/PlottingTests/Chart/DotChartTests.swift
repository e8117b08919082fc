import Plotting
import Testing

@Suite(.timeLimit(.minutes(30))) struct DotChartTests {
  /// A recording of curves that begin at time 0 and have a value a second; nil where one has none.
  private func recording(_ curves: [Double?]...) -> Recording {
    var recording = Recording()
    let source = recording.addSource(named: nil)
    let names = curves.indices.map { SeriesName("\($0)") }
    for time in 0..<(curves.map(\.count).max() ?? 0) {
      let samples = curves.enumerated().compactMap { index, values in
        values.dropFirst(time).first.flatMap { value in
          value.map { Sample(series: index, value: $0, text: 0..<0) }
        }
      }
      let line = UnsafeRawBufferPointer(start: nil, count: 0)
      recording.add(
        SampleRow(time: Double(time), line: line, samples: samples, series: names), from: source)
    }
    return recording
  }

  private func cells(
    _ recording: Recording, _ view: ChartView, columns: Int = 12, rows: Int = 4, dots: Bool = true,
    ticks: Int = 0
  ) -> [[ChartCell]] {
    let axes = (
      times: Axis(timesOf: view, atMost: ticks) { _ in fatalError("lines have no calendar") },
      values: Axis(valuesOf: view, atMost: ticks)
    )
    return DotChart.cells(
      of: recording, in: view, axes: axes, columns: columns, rows: rows, dots: dots)
  }

  /// The characters, with a frame of bars that keeps the blanks.
  private func picture(_ cells: [[ChartCell]]) -> String {
    cells.map { "|" + String($0.map(\.character)) + "|" }.joined(separator: "\n")
  }

  private func view(_ times: ClosedRange<Double>, _ values: ClosedRange<Double>) -> ChartView {
    ChartView(times: times, values: values, timeKind: .lines)
  }

  @Test("a rising line is joined dots, and its end has the marker")
  func rising() {
    let recording = recording([0, 1, 2, 3])
    #expect(
      picture(cells(recording, view(0...3, 0...3))) == """
        |         ⣠⠖1|
        |      ⣠⠴⠋⠁  |
        |   ⣠⠴⠋⠁     |
        |⣠⠴⠋⠁        |
        """)
    #expect(
      picture(cells(recording, view(0...3, 0...3), dots: false)) == """
        |         111|
        |      1111  |
        |   1111     |
        |1111        |
        """)
  }

  @Test("a peak between many points is seen")
  func peak() {
    var values = [Double?](repeating: 1, count: 5_000)
    values[1_234] = 9
    #expect(
      picture(cells(recording(values), view(0...4_999, 0...10))) == """
        |  ⢰         |
        |  ⢸         |
        |  ⢸         |
        |⠤⠤⠼⠤⠤⠤⠤⠤⠤⠤⠤1|
        """)
  }

  @Test("the line leaves a column at the last of its values")
  func leaving() {
    var recording = Recording()
    let source = recording.addSource(named: nil)
    for (time, value) in [(0, 0.0), (0.1, 3), (3, 3)] {
      let row = SampleRow(
        time: time, line: UnsafeRawBufferPointer(start: nil, count: 0),
        samples: [Sample(series: 0, value: value, text: 0..<0)], series: [SeriesName("a")])
      recording.add(row, from: source)
    }
    #expect(
      picture(cells(recording, view(0...3, 0...3), dots: false)) == """
        |111111111111|
        |1           |
        |1           |
        |1           |
        """)
  }

  @Test("a gap is blank, and the line does not cross it")
  func gap() {
    let values: [Double?] = [1, 1, 1, .nan, .nan, 2, 2]
    #expect(
      picture(cells(recording(values), view(0...6, 0...3), dots: false)) == """
        |            |
        |          11|
        |11111       |
        |            |
        """)
  }

  @Test("a line between points that are outside crosses the chart")
  func crossing() {
    #expect(
      picture(cells(recording([0, 100]), view(0.4...0.6, 30...70), dots: false)) == """
        |           1|
        |     1111111|
        |111111      |
        |            |
        """)
    #expect(
      picture(cells(recording([0, 100]), view(0.8...0.9, 0...50), dots: false)) == """
        |            |
        |            |
        |            |
        |            |
        """)
  }

  @Test("curves share characters; the last one has the colour")
  func sharing() {
    let cells = cells(recording([0, 0, 0, 0], [0, 0, 3, 3]), view(0...3, 0...3))
    #expect(
      picture(cells) == """
        |       ⡼⠉⠉⠉2|
        |      ⡼⠁    |
        |     ⡼⠁     |
        |⣀⣀⣀⣀⣼⣁⣀⣀⣀⣀⣀1|
        """)
    #expect(cells[3].map(\.curve) == [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
  }

  @Test("a hidden curve is not drawn")
  func hidden() {
    var view = view(0...3, 0...3)
    view.hidden = [0]
    #expect(
      picture(cells(recording([0, 0, 0, 0], [3, 3, 3, 3]), view)) == """
        |⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉2|
        |            |
        |            |
        |            |
        """)
  }

  @Test("the grid and the cursor are behind the curves")
  func grid() {
    var view = view(0...4, 0...4)
    view.cursor = 3
    #expect(
      picture(cells(recording([1, 1]), view, ticks: 3)) == """
        |·  ·  ·  │ ·|
        |·  ·  ·  │ ·|
        |⣀⣀⣀1  ·  │ ·|
        |·  ·  ·  │ ·|
        """)
    #expect(
      picture(cells(recording([1, 1]), view, dots: false, ticks: 3)) == """
        |.  .  .  | .|
        |.  .  .  | .|
        |1111  .  | .|
        |.  .  .  | .|
        """)
  }

  @Test("a logarithmic chart leaves out values without a logarithm")
  func logarithmic() {
    var view = view(0...4, 1...1_000)
    view.isLogarithmic = true
    let recording = recording([1, 10, 0, 100, 1_000])
    #expect(
      picture(cells(recording, view, columns: 10, dots: false)) == """
        |       111|
        |       1  |
        | 11       |
        |11        |
        """)
  }

  @Test("markers at the same place stand side by side")
  func markersAtTheSamePlace() {
    let same: [Double?] = [1, 1, 1, 1]
    #expect(
      picture(cells(recording(same, same, same), view(0...3, 0...3))) == """
        |            |
        |            |
        |⠤⠤⠤⠤⠤⠤⠤⠤⠤321|
        |            |
        """)
  }

  @Test("markers are digits, then letters")
  func markers() {
    #expect(String([0, 8, 9, 34, 35].map { DotChart.marker(ofCurve: $0) }) == "19az*")
  }

  @Test("any size, range and value gives a chart of that size")
  func extremes() {
    let greatest = Double.greatestFiniteMagnitude
    let recording = recording(
      [0, greatest, -greatest, .leastNonzeroMagnitude, -1, .infinity, 1e300], [1], [], [.nan, 3])
    let ranges: [ClosedRange<Double>] = [
      0...0, 0...6, -greatest...greatest, 5...5.1, 0 ... .leastNonzeroMagnitude,
      -.infinity ... .infinity,
      1e-300...1e300,
    ]
    for times in ranges {
      for values in ranges {
        for (columns, rows) in [(0, 4), (4, 0), (1, 1), (2, 300), (300, 2)] {
          for isLogarithmic in [false, true] {
            for dots in [false, true] {
              var view = view(times, values)
              view.isLogarithmic = isLogarithmic
              let cells = cells(
                recording, view, columns: columns, rows: rows, dots: dots, ticks: 5)
              #expect(cells.count == (columns > 0 ? rows : 0))
              #expect(cells.allSatisfy { $0.count == columns })
            }
          }
        }
      }
    }
  }
}
