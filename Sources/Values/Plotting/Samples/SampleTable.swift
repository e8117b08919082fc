import TextTools

/// Numbers as a table in CSV: a column for the time, and one for each series.
///
/// Fields are quoted as in RFC 4180, and lines end with LF. The digits are those that the device
/// sent, with a point for a decimal comma. A gap is empty.
public struct SampleTable {
  /// The number of values without a column, because their series appeared after the
  /// table had begun.
  public private(set) var omittedValueCount = 0

  private let header: [UInt8]
  /// The columns of each source.
  private let columns: [Range<Int>]
  private let timeKind: ChartView.TimeKind
  /// The digits in each column of the present row.
  private var cells: [Range<Int>?]

  /// Creates a table with fixed columns.
  ///
  /// - Parameters:
  ///   - sources: the ports or files with their series. If there are several, the name of the
  ///     source precedes those of its series, as in ``Recording``.
  ///   - timeKind: whether times are written in seconds, with six decimals, or as the
  ///     numbers of lines.
  public init(
    sources: [(name: String?, series: [SeriesName])], timeKind: ChartView.TimeKind
  ) {
    var header = Array("time".utf8)
    var columns: [Range<Int>] = []
    for source in sources {
      let first = columns.last?.upperBound ?? 0
      columns.append(first..<(first + source.series.count))
      let prefix = sources.count > 1 ? source.name.map { "\($0.harmless): " } ?? "" : ""
      for series in source.series {
        header.append(UInt8(ascii: ","))
        let unit = series.unit.map { " [\($0)]" } ?? ""
        header += Self.field(prefix + series.name + unit).utf8
      }
    }
    self.header = header + [UInt8(ascii: "\n")]
    self.columns = columns
    self.timeKind = timeKind
    cells = Array(repeating: nil, count: columns.last?.upperBound ?? 0)
  }

  /// Appends the names of the columns.
  public func appendHeader(to output: inout [UInt8]) { output += header }

  /// Appends a row. A row without a value in a column of its source appends nothing.
  ///
  /// - Parameters:
  ///   - row: the row.
  ///   - source: the index of its source.
  public mutating func append(
    _ row: SampleRow, from source: Int = 0, to output: inout [UInt8]
  ) {
    var isEmpty = true
    for sample in row.samples {
      guard sample.series < columns[source].count else {
        omittedValueCount += 1
        continue
      }
      let column = columns[source].lowerBound + sample.series
      cells[column] = sample.value.isNaN ? nil : sample.text
      isEmpty = false
    }
    guard !isEmpty else { return }
    append(time: row.time, to: &output)
    for index in cells.indices {
      output.append(UInt8(ascii: ","))
      guard let cell = cells[index] else { continue }
      output += row.line[cell].lazy.map(NumberText.withPoint)
      cells[index] = nil
    }
    output.append(UInt8(ascii: "\n"))
  }

  private func append(time: Double, to output: inout [UInt8]) {
    if timeKind == .lines, let number = Int(exactly: time) {
      output += "\(number)".utf8
      return
    }
    guard let microseconds = Int64(exactly: (time * 1_000_000).rounded()) else {
      // The clock of a device may say anything.
      output += "\(time)".utf8
      return
    }
    let (seconds, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
    if microseconds < 0 { output.append(UInt8(ascii: "-")) }
    output += "\(seconds).".utf8
    let digits = "\(rest)".utf8
    output += repeatElement(UInt8(ascii: "0"), count: 6 - digits.count)
    output += digits
  }

  /// A text as a field. A text that a spreadsheet would calculate gets an apostrophe: names come
  /// from the device.
  private static func field(_ text: String) -> String {
    var text = text
    if let first = text.utf8.first, "=+-@".utf8.contains(first) { text = "'" + text }
    let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    if isPlain, text.utf8.first != UInt8(ascii: " "), text.utf8.last != UInt8(ascii: " ") {
      return text
    }
    return "\"" + text.replacing(text: "\"", with: "\"\"") + "\""
  }
}
