import Patterns
import TextStages
import TextTools
import Time

/// Numbers in lines: how the stream is cut does not matter; every number is that of its digits; names are harmless and
/// bounded; what was read can be drawn and written as a table.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPlot(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  guard input.count > 2 else { return 0 }
  var stream = UnsafeRawBufferPointer(rebasing: input.dropFirst(2))
  var form: SampleForm?
  switch input[0] % 16 {
  case 0: form = .values
  case 1: form = .labels
  case 2: form = .teleplot
  case 3: form = .pairs
  case 4: form = .json
  case 5:
    // The expression, a zero byte, the stream.
    let regex = String(decoding: stream.prefix { $0 != 0 }, as: UTF8.self)
    guard let pattern = try? Pattern(parsing: regex, capturing: true) else { return 0 }
    form = .pattern(pattern)
    stream = UnsafeRawBufferPointer(rebasing: stream.drop { $0 != 0 })
  default: break
  }
  let limit = Int(input[1] / 16) + 1
  let whole = PlotReadings(stream, inPiecesOf: max(stream.count, 1), form, limit: limit)
  let pieces = PlotReadings(stream, inPiecesOf: Int(input[1] % 16) + 1, form, limit: limit)
  precondition(whole.rows == pieces.rows, "the rows depend on how the stream is cut")
  precondition(whole.reader.series == pieces.reader.series)
  precondition(whole.reader.skippedLineCount == pieces.reader.skippedLineCount)
  precondition(0...whole.reader.lineCount ~= whole.reader.skippedLineCount)
  precondition(whole.reader.series.count <= limit)
  precondition(whole.rows.isEmpty || whole.reader.form != nil && whole.reader.inWords != nil)
  precondition(form == nil || whole.reader.form == form)
  for name in whole.reader.series {
    for text in [name.name, name.unit ?? ""] {
      precondition(text.unicodeScalars.count <= SeriesName.maximalLength && text == text.harmless)
    }
  }
  whole.checkTable()
  whole.draw()
  return 0
}

/// The rows of a stream.
private struct PlotReadings {
  struct Row: Equatable {
    let time: UInt64
    let series: [Int]
    let digits: [[UInt8]]
  }

  private(set) var reader: SampleReader
  private(set) var rows: [Row] = []
  private var recording = Recording(seriesLimit: 8)
  private var table = SampleTable(
    sources: [(nil, [SeriesName("a"), SeriesName("b")])], timeKind: .lines)
  private var output: [UInt8] = []
  private var valueCount = 0

  init(_ stream: UnsafeRawBufferPointer, inPiecesOf length: Int, _ form: SampleForm?, limit: Int) {
    reader = SampleReader(form, seriesLimit: limit)
    var found: [Row] = []
    let source = recording.addSource(named: nil)
    var (recording, table, output) = (recording, table, output)
    func take(_ row: SampleRow) {
      precondition(row.time.isFinite && !row.samples.isEmpty)
      precondition(
        Set(row.samples.map(\.series)).count == row.samples.count, "a series is there twice")
      let digits = row.samples.map { sample in
        precondition(sample.series < row.series.count)
        let digits = Array(row.line[sample.text])
        let text = String(decoding: digits, as: UTF8.self).replacing(text: ",", with: ".")
        let value = Double(text) ?? .nan
        precondition(
          value.isNaN ? sample.value.isNaN : value == sample.value, "not the number of the digits")
        return digits
      }
      found.append(
        Row(time: row.time.bitPattern, series: row.samples.map(\.series), digits: digits))
      recording.add(row, from: source)
      table.append(row, to: &output)
    }
    for start in stride(from: 0, to: stream.count, by: length) {
      let end = min(start + length, stream.count)
      reader.read(UnsafeRawBufferPointer(rebasing: stream[start..<end]), take)
    }
    reader.finish(take)
    rows = found
    (self.recording, self.table, self.output) = (recording, table, output)
  }

  /// Every row has three columns.
  func checkTable() {
    for line in output.split(separator: 0x0A) {
      precondition(line.split(separator: 0x2C, omittingEmptySubsequences: false).count == 3)
    }
    let values = rows.flatMap(\.series)
    precondition(table.omittedValueCount == values.filter { $0 > 1 }.count)
  }

  func draw() {
    guard let times = recording.times, let values = recording.extremes(in: times) else { return }
    func calendar(_ second: UInt64) -> CalendarTime {
      CalendarTime(
        year: 2000, month: 1, day: 1, hour: Int(second / 3_600 % 24),
        minute: Int(second / 60 % 60), second: Int(second % 60), offset: 0)
    }
    for isLogarithmic in [false, true] {
      let view = ChartView(
        times: times, values: ChartView.range(around: values, isLogarithmic: isLogarithmic),
        timeKind: isLogarithmic ? .clock : .lines, isLogarithmic: isLogarithmic)
      let axes = (
        times: Axis(timesOf: view, atMost: 4, calendar: calendar),
        values: Axis(valuesOf: view, atMost: 4)
      )
      let cells = DotChart.cells(
        of: recording, in: view, axes: axes, columns: 20, rows: 4, dots: !isLogarithmic)
      precondition(cells.count == 4 && cells.allSatisfy { $0.count == 20 })
      precondition(!SVGChart.text(of: recording, in: view, title: nil, calendar: calendar).isEmpty)
    }
  }
}
