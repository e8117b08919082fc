import TextTools

/// The curves of a plot, from one source or several, in bounded memory.
public struct Recording: Sendable {
  /// The curves, in the order in which their series appeared.
  public private(set) var curves: [Curve] = []
  /// The number of values that were left out because their series are beyond the limit.
  public private(set) var omittedCount = 0

  private let seriesLimit: Int
  private var sources: [Source] = []

  private struct Source: Sendable {
    let name: String?
    /// The curve of each series of the source, by the series' index; nil beyond the limit.
    var curves: [(name: SeriesName, curve: Int?)] = []
  }

  /// Creates a recording without curves.
  ///
  /// - Parameter seriesLimit: the maximum number of curves, of all sources together.
  public init(seriesLimit: Int = 32) {
    self.seriesLimit = seriesLimit
  }

  /// The time of the first point of all curves, and of the newest one.
  public var times: ClosedRange<Double>? {
    curves.reduce(nil) { times, curve in curve.times?.united(with: times) ?? times }
  }

  /// The lowest and highest value of the curves within a range of times.
  ///
  /// - Parameters:
  ///   - times: the range of times.
  ///   - hidden: the indices of curves that do not count.
  public func extremes(
    in times: ClosedRange<Double>, hidden: Set<Int> = []
  ) -> ClosedRange<Double>? {
    curves.indices.reduce(nil) { found, index in
      guard !hidden.contains(index) else { return found }
      return curves[index].extremes(in: times)?.united(with: found) ?? found
    }
  }

  /// Adds a port or a file whose rows will be added.
  ///
  /// - Parameter name: its name. If there are several sources, it is written before the names
  ///   of the series.
  /// - Returns: the number with which its rows are added.
  public mutating func addSource(named name: String?) -> Int {
    sources.append(Source(name: name?.harmless))
    if sources.count == 2 {
      for source in sources {
        for case (let series, let curve?) in source.curves {
          curves[curve].name = fullName(of: series, from: source)
        }
      }
    }
    return sources.count - 1
  }

  /// Adds the values of a row.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - source: the number of the source.
  public mutating func add(_ row: SampleRow, from source: Int) {
    for sample in row.samples {
      if let curve = curve(ofSeries: sample.series, of: row.series, from: source) {
        curves[curve].add(sample.value, at: row.time)
      } else {
        omittedCount += 1
      }
    }
  }

  /// Breaks the lines of a source: its next points are not joined with those before, for example
  /// because its port was lost in between.
  public mutating func breakLines(of source: Int) {
    for case (_, let curve?) in sources[source].curves { curves[curve].breakLine() }
  }

  private mutating func curve(
    ofSeries series: Int, of names: [SeriesName], from source: Int
  ) -> Int? {
    let known = sources[source].curves
    if series < known.count, known[series].name == names[series] { return known[series].curve }
    // A series is new, its unit has become known, or the reader has found another form with other
    // series. Names are shortened, so two series can have the same one. The index counts while the
    // names before it are the same.
    let same = zip(known, names).prefix { Self.isSame($0.name, $1) }.count
    var others = known.dropFirst(same)
    sources[source].curves = names.enumerated().map { index, name in
      var earlier: Int?
      if index < same {
        earlier = known[index].curve
      } else if let other = others.firstIndex(where: { Self.isSame($0.name, name) }) {
        earlier = others.remove(at: other).curve
      }
      if let earlier { curves[earlier].unit = name.unit ?? curves[earlier].unit }
      return (name, earlier ?? addCurve(named: name, from: source))
    }
    return sources[source].curves[series].curve
  }

  /// Whether two names can be those of one series. Numbers in two units are two series
  /// with one name.
  private static func isSame(_ known: SeriesName, _ name: SeriesName) -> Bool {
    known.name == name.name && (known.unit ?? name.unit) == (name.unit ?? known.unit)
  }

  private mutating func addCurve(named name: SeriesName, from source: Int) -> Int? {
    guard curves.count < seriesLimit else { return nil }
    curves.append(Curve(name: fullName(of: name, from: sources[source]), unit: name.unit))
    return curves.count - 1
  }

  private func fullName(of series: SeriesName, from source: Source) -> String {
    guard sources.count > 1, let name = source.name else { return series.name }
    return "\(name): \(series.name)"
  }
}
