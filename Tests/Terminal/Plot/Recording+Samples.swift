import Plotting

extension Recording {
  /// A recording of one source, with a row for each time.
  ///
  /// - Parameters:
  ///   - rows: the times, each with the values of the curves.
  ///   - names: the names of the curves; by default they are a, b and so on.
  init(_ rows: [(Double, [Double])], names: [String]? = nil, units: [String?] = []) {
    self.init()
    let source = addSource(named: nil)
    let count = rows.map(\.1.count).max() ?? 0
    let series = (0..<count).map { index in
      SeriesName(
        names?[index] ?? "\(DotChart.marker(ofCurve: 9 + index))",
        unit: index < units.count ? units[index] : nil)
    }
    for (time, values) in rows {
      let samples = values.enumerated().map { Sample(series: $0, value: $1, text: 0..<0) }
      add(
        SampleRow(
          time: time, line: UnsafeRawBufferPointer(start: nil, count: 0), samples: samples,
          series: series),
        from: source)
    }
  }

  /// A curve with the values 0, 1, 2 and so on, a second apart.
  static func ramp(_ count: Int, from start: Double = 0) -> Recording {
    Recording((0..<count).map { (start + Double($0), [Double($0)]) })
  }
}
