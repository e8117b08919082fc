import Plotting
import TestSupport
import Testing
import Time

@Suite(.timeLimit(.minutes(30))) struct SVGChartTests {
  /// A recording of curves that begin at time 0 and have a value a second.
  private func recording(_ curves: [(SeriesName, [Double])]) -> Recording {
    var recording = Recording()
    let source = recording.addSource(named: nil)
    for time in 0..<(curves.map(\.1.count).max() ?? 0) {
      let samples = curves.enumerated().compactMap { index, curve in
        curve.1.dropFirst(time).first.map { Sample(series: index, value: $0, text: 0..<0) }
      }
      let line = UnsafeRawBufferPointer(start: nil, count: 0)
      recording.add(
        SampleRow(time: Double(time), line: line, samples: samples, series: curves.map(\.0)),
        from: source)
    }
    return recording
  }

  private func svg(_ recording: Recording, _ view: ChartView, title: String? = nil) -> String {
    SVGChart.text(of: recording, in: view, title: title) { second in
      let second = Int(second)
      return CalendarTime(
        year: 1970, month: 1, day: 1 + second / 86_400, hour: second / 3_600 % 24,
        minute: second / 60 % 60, second: second % 60, offset: -12_600)
    }
  }

  /// The texts and the names of the elements of a document; nil if its elements do not
  /// close one another.
  private func elements(of svg: String) -> (texts: [String], names: [String])? {
    var open: [Substring] = []
    var texts: [String] = []
    var names: [String] = []
    for piece in svg.split(separator: "<", omittingEmptySubsequences: true) {
      guard let end = piece.firstIndex(of: ">") else { return nil }
      let tag = piece[..<end]
      let text = piece[end...].dropFirst()
      if text.contains(">") { return nil }
      if tag.first == "/" {
        guard open.popLast() == tag.dropFirst() else { return nil }
      } else {
        let name = tag.split(separator: " ")[0].split(separator: "/")[0]
        names.append(String(name))
        if tag.last != "/" { open.append(name) }
        if name == "text" || name == "title" { texts.append(String(text)) }
      }
    }
    return open.isEmpty ? (texts, names) : nil
  }

  @Test(
    "a document has the wanted size, unless its legend needs more",
    arguments: [
      (640, 240, 240), (320, 120, 224), (2_000, 1_000, 1_000),
    ])
  func size(width: Int, height: Int, expected: Int) throws {
    let recording = recording([
      (SeriesName("temp", unit: "C"), [20, 21.5, 23]), (SeriesName("humidity"), [40, 45, 41.25]),
    ])
    let view = ChartView(times: 0...2, values: 15...50)
    let svg = SVGChart.text(
      of: recording, in: view, title: nil, width: width, height: height
    ) { _ in
      CalendarTime(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, offset: 0)
    }
    #expect(svg.contains("width=\"\(width)\" height=\"\(expected)\" font"))
    #expect(try #require(elements(of: svg)).texts.contains("humidity"))
  }

  @Test("a document has the curves, the ticks and the legend")
  func document() throws {
    let recording = recording([
      (SeriesName("temp", unit: "C"), [20, 21.5, 23]), (SeriesName("humidity"), [40, 45, 41.25]),
    ])
    let view = ChartView(times: 0...2, values: 15...50)
    let svg = svg(recording, view, title: "ttyUSB0")
    let (texts, names) = try #require(elements(of: svg))
    #expect(
      texts == [
        "ttyUSB0", "ttyUSB0", "15", "20", "25", "30", "35", "40", "45", "50",
        "00:00:00.0", "00:00:00.5", "00:00:01.0", "00:00:01.5", "00:00:02.0",
        "1970-01-01 00:00:00 to 00:00:02 (UTC-03:30)", "1", "2",
        "newest", "lowest", "highest", "1", "temp [C]", "23", "20", "23",
        "2", "humidity", "41.25", "40", "45",
      ])
    #expect(names.count { $0 == "path" } == 1 + 2 + 2)
    #expect(svg.contains(#"<path class="curve c0" d="M"#))
    #expect(svg.contains("prefers-color-scheme:dark"))
  }

  @Test("names and titles cannot add elements, or characters that XML does not have")
  func hostileNames() throws {
    let name = "<script>&\"'\u{FFFF}\u{1B}"
    let recording = recording([(SeriesName(name, unit: "</text>"), [1, 2])])
    let view = ChartView(times: 0...1, values: 0...3, timeKind: .lines)
    let svg = svg(recording, view, title: "a</title><script>")
    let (texts, names) = try #require(elements(of: svg))
    #expect(!names.contains("script"))
    #expect(texts.contains("&lt;script&gt;&amp;\"'\u{FFFD}\u{FFFD} [&lt;/text&gt;]"))
    #expect(svg.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value < 0xFFFE })
  }

  @Test("the size does not grow with the number of points, and the peak is there")
  func sizeIsBounded() throws {
    var random = SplitMix64(seed: 1)
    var values = (0..<50_000).map { _ in Double.random(in: 0...1, using: &random) }
    values[33_333] = 100
    let recording = recording([(SeriesName("noise"), values)])
    let view = ChartView(times: 0...50_000, values: 0...100, timeKind: .lines)
    let svg = svg(recording, view)
    #expect(svg.utf8.count < 40_000)
    let line = try #require(svg.split(separator: "\n").first { $0.contains("curve c0") })
    // The curve area is less than 760 pixels wide, and its upper edge is at 32.
    #expect(line.count { $0 == "L" } < 2 * 760)
    #expect(line.contains(" 32L") || line.contains(" 32.0L"))
  }

  @Test("a point without neighbours is a dot, and a gap divides the line")
  func gaps() throws {
    let recording = recording([(SeriesName("a"), [1, .nan, 2, 3, .nan, 4, 5])])
    let svg = svg(recording, ChartView(times: 0...6, values: 0...5, timeKind: .lines))
    let lines = svg.split(separator: "\n")
    #expect(try #require(lines.first { $0.contains(#""curve c0" d="M"#) }).count { $0 == "M" } == 2)
    #expect(lines.count { $0.contains("curve point c0") } == 1)
  }

  @Test("on a logarithmic axis, a value without a logarithm is a gap")
  func logarithmicGap() throws {
    let recording = recording([(SeriesName("a"), [1, 10, 0, 10, 100])])
    let view = ChartView(times: 0...4, values: 1...100, timeKind: .lines, isLogarithmic: true)
    let line = try #require(
      svg(recording, view).split(separator: "\n").first { $0.contains("curve c0") })
    #expect(line.count { $0 == "M" } == 2)
  }

  @Test("any view gives a document")
  func extremes() {
    let greatest = Double.greatestFiniteMagnitude
    let recording = recording([
      (SeriesName("a"), [0, greatest, -greatest, .leastNonzeroMagnitude, -1, .infinity, 1e300]),
      (SeriesName("b"), [.nan]),
    ])
    let ranges: [ClosedRange<Double>] = [
      0...0, 0...6, -greatest...greatest, 5...5.1, -.infinity ... .infinity, 1e-300...1e300,
    ]
    for times in ranges {
      for values in ranges {
        for (isLogarithmic, kind) in [(false, ChartView.TimeKind.clock), (true, .lines)] {
          let view = ChartView(
            times: times, values: values, timeKind: kind, isLogarithmic: isLogarithmic)
          let svg = svg(recording, view)
          #expect(elements(of: svg) != nil)
          #expect(!svg.contains("inf") && !svg.contains("nan"))
        }
      }
    }
    #expect(elements(of: svg(Recording(), ChartView(times: 0...1, values: 0...1))) != nil)
  }
}
