import Plotting

/// Makes the table (CSV) of numbers whose series are known from a first reading.
final class TableWriter {
  /// The rows that were not taken yet.
  private var output: [UInt8] = []
  private var readers: [SampleReader]
  private var table: SampleTable
  private let times: ClosedRange<Double>?

  /// Begins a table with its first line.
  ///
  /// - Parameters:
  ///   - sources: the ports or files, with their series.
  ///   - form: the form of the lines, as in the first reading.
  ///   - times: the times of the rows; nil for all.
  init(
    _ sources: [(name: String?, series: [SeriesName])], as form: SampleForm?,
    _ timeKind: ChartView.TimeKind, in times: ClosedRange<Double>? = nil
  ) {
    readers = sources.map { _ in SampleReader(form, seriesLimit: TableStream.columnLimit) }
    table = SampleTable(sources: sources, timeKind: timeKind)
    self.times = times
    table.appendHeader(to: &output)
  }

  /// Reads bytes of a source.
  func read(_ bytes: UnsafeRawBufferPointer, at time: Double, from source: Int) {
    readers[source].read(bytes, at: time) { append($0, source) }
  }

  /// Reads the last lines, which have no end.
  func finish() {
    for source in readers.indices { readers[source].finish { append($0, source) } }
  }

  private func append(_ row: SampleRow, _ source: Int) {
    if times?.contains(row.time) ?? true { table.append(row, from: source, to: &output) }
  }

  /// Takes the rows so far.
  ///
  /// - Parameter least: the number of bytes below which nothing is taken.
  func takeOutput(atLeast least: Int = 0) -> [UInt8]? {
    guard !output.isEmpty, output.count >= least else { return nil }
    defer { output = [] }
    return output
  }
}
