import TextTools

/// Makes a table in CSV of the numbers that ports send, while they arrive.
///
/// A table has its columns in its first line, but a device may name a series later. So the first
/// rows are held back until the caller says that the series are known (``flush(into:)``). A row
/// with a series that the table lacks ends the table: it is held back in the same way, and belongs
/// to a new one.
public struct TableStream {
  /// The maximum number of rows that are held back. With more, the table begins.
  public static let heldRowLimit = 10_000
  /// The maximum number of bytes of their lines. With more, the table begins.
  public static let heldByteLimit = 1 << 20
  /// The maximum number of columns of a port.
  public static let columnLimit = 256
  /// The maximum number of tables that begin because of one port, after the first one. A device
  /// that names series without end would make files without end.
  public static let laterTableLimit = 8

  /// Whether the table has ended, because held rows need more columns. Write them to a new file,
  /// and reset this.
  public var needsNewTable = false

  private let form: SampleForm?
  private var sources: [Source] = []
  private var table: SampleTable?
  private var held: [Row] = []
  /// The number of values that were left out of the tables that have ended.
  private var endedOmittedCount = 0

  private struct Source {
    let name: String?
    var reader: SampleReader
    /// The number of columns of the present table.
    var columnCount = 0
    /// The number of tables that began because of the port, after the first one.
    var laterTableCount = 0
  }

  /// A copy of a row.
  private struct Row {
    let time: Double
    let source: Int
    let line: [UInt8]
    let samples: [Sample]
    let series: [SeriesName]
  }

  /// Creates a stream without ports.
  ///
  /// - Parameter form: the form of the lines; nil to find it.
  public init(_ form: SampleForm? = nil) { self.form = form }

  /// Adds a port. Its name precedes those of its series if there are several.
  ///
  /// - Returns: its number.
  public mutating func addSource(named name: String?) -> Int {
    sources.append(
      Source(name: name, reader: SampleReader(form, seriesLimit: Self.columnLimit)))
    return sources.count - 1
  }

  /// The number of values that were left out because their series are beyond ``columnLimit``, or
  /// appeared after ``laterTableLimit``.
  public var omittedValueCount: Int {
    sources.reduce(endedOmittedCount + (table?.omittedValueCount ?? 0)) {
      $0 + $1.reader.omittedValueCount
    }
  }

  /// Whether rows are held back.
  public var isHolding: Bool { !held.isEmpty }

  /// The number of bytes of the lines that are held back.
  public private(set) var heldByteCount = 0

  /// Appends the first line of the present table, for a file that continues it; nothing before the
  /// table has begun.
  public func appendHeader(to output: inout [UInt8]) { table?.appendHeader(to: &output) }

  /// Reads bytes of a port, and appends the rows that are known.
  ///
  /// - Parameter time: the time in seconds since 1970.
  public mutating func read(
    _ bytes: UnsafeRawBufferPointer, at time: Double, from source: Int, into output: inout [UInt8]
  ) {
    var rows: [Row] = []
    sources[source].reader.read(bytes, at: time) { row in
      rows.append(
        Row(
          time: row.time, source: source, line: Array(row.line), samples: row.samples,
          series: row.series))
    }
    for row in rows { append(row, to: &output) }
  }

  /// Forgets the open line of a port, because bytes are missing after it.
  public mutating func forgetLine(of source: Int) { sources[source].reader.forgetLine() }

  /// Appends the rows that were held back, behind the first line of their table.
  public mutating func flush(into output: inout [UInt8]) {
    guard isHolding else { return }
    var table = SampleTable(
      sources: sources.map { ($0.name, $0.reader.series) }, timeKind: .clock)
    table.appendHeader(to: &output)
    for index in sources.indices { sources[index].columnCount = sources[index].reader.series.count }
    for row in held { Self.append(row, of: &table, to: &output) }
    held.removeAll()
    heldByteCount = 0
    self.table = table
  }

  private mutating func append(_ row: Row, to output: inout [UInt8]) {
    if let endedCount = table?.omittedValueCount {
      guard hasLateSeries(row), sources[row.source].laterTableCount < Self.laterTableLimit else {
        return Self.append(row, of: &table!, to: &output)
      }
      sources[row.source].laterTableCount += 1
      endedOmittedCount += endedCount
      (table, needsNewTable) = (nil, true)
    }
    held.append(row)
    heldByteCount += row.line.count
    let isFull = held.count >= Self.heldRowLimit || heldByteCount >= Self.heldByteLimit
    // The caller begins another file before the first line of the next table.
    if isFull, !needsNewTable { flush(into: &output) }
  }

  /// Whether the present table lacks a series of a row.
  private func hasLateSeries(_ row: Row) -> Bool {
    row.samples.contains { $0.series >= sources[row.source].columnCount }
  }

  private static func append(_ row: Row, of table: inout SampleTable, to output: inout [UInt8]) {
    row.line.withUnsafeBytes { line in
      table.append(
        SampleRow(time: row.time, line: line, samples: row.samples, series: row.series),
        from: row.source, to: &output)
    }
  }
}
