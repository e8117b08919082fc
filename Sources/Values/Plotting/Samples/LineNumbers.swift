import Patterns
import TextTools

/// Reads the numbers in lines: finds the form, and gives each number its series.
struct LineNumbers {
  /// How lines are read.
  private enum Reading {
    case teleplot, json, labels, pairs
    /// Columns, with the index of the series of each; nil beyond the limit.
    case values(ColumnSeparator, [Int?], hasHeader: Bool)
    /// A search, with the groups that are series.
    case pattern([(index: Int, name: String)])
  }

  /// The number of lines without a number after which another form may take the place of the one
  /// that was found.
  private static let patience = 20

  private let chosen: SampleForm?
  private var reading: Reading?
  private var search: LineCaptures?
  private var detector: FormDetector
  private var fields = LineFields()
  private(set) var table: SeriesTable
  private var clock = DeviceClock()
  /// The series of the fields of the last line, which the next one probably has too; nil
  /// beyond the limit.
  private var layout: [Int?] = []
  /// The number of the last line with a value of each series, by ``stamp``.
  private var stamps: [Int] = []
  private var stamp = 0
  private var samples: [Sample] = []
  /// The number of lines since the last one that fitted.
  private var misfitCount = 0

  private(set) var lineCount = 0
  private(set) var skippedLineCount = 0
  private(set) var omittedValueCount = 0

  init(_ form: SampleForm?, seriesLimit: Int) {
    chosen = form
    table = SeriesTable(limit: seriesLimit)
    var kinds: [FormDetector.Kind] = []
    switch form {
    case nil: kinds = FormDetector.Kind.allCases
    case .values: kinds = [.values]
    case .labels: reading = .labels
    case .teleplot: reading = .teleplot
    case .pairs: reading = .pairs
    case .json: reading = .json
    case .pattern(let pattern):
      search = LineCaptures(pattern)
      var groups = pattern.groupNames.enumerated().compactMap { index, name in
        name.map { (index: index + 1, name: $0) }
      }
      if groups.isEmpty { groups = [(min(pattern.groupCount, 1), Self.nameless)] }
      reading = .pattern(groups)
    }
    detector = FormDetector(kinds)
  }

  /// The name of a series that has none.
  private static let nameless = "value"

  var form: SampleForm? {
    if let chosen { return chosen }
    switch reading {
    case nil, .pattern: return nil
    case .teleplot: return .teleplot
    case .json: return .json
    case .labels: return .labels
    case .pairs: return .pairs
    case .values: return .values
    }
  }

  var inWords: String? {
    let words: String
    switch reading {
    case nil: return nil
    case .teleplot: words = "Teleplot"
    case .json: words = "JSON"
    case .labels: words = "label:value"
    case .pairs: words = "key=value"
    case .pattern: words = "expression"
    case .values(let separator, _, let hasHeader):
      let columns =
        switch separator {
        case .comma, .semicolon: "CSV"
        case .tab: "values separated by tabs"
        case .blanks where table.series.count == 1: "one value a line"
        case .blanks: "values separated by spaces"
        }
      words = hasHeader ? "\(columns) with header" : columns
    }
    // The plural of "series" is "series".
    return "\(words), \(table.series.count.grouped) series"
  }

  // MARK: Lines

  /// Counts a line that cannot be read.
  mutating func skip() {
    lineCount += 1
    skippedLineCount += 1
    misfitCount += 1
  }

  mutating func read(
    _ line: UnsafeRawBufferPointer, at time: Double, _ body: (SampleRow) -> Void
  ) {
    lineCount += 1
    if fits(line) {
      readColumnHeader()
      detector.clear()
      misfitCount = 0
      return deliver(line, at: time, body)
    }
    guard LineFields.skipBlanks(line, from: 0) < line.count else { return }
    skippedLineCount += 1
    misfitCount += 1
    if readLabelHeader(line) { return }
    guard chosen == nil || chosen == .values else { return }
    if let found = detector.add(line, at: time), reading == nil || misfitCount >= Self.patience {
      adopt(found, body)
    }
  }

  /// Reads the lines of a short file, if their form was chosen.
  mutating func finish(_ body: (SampleRow) -> Void) {
    if chosen == .values, reading == nil, let found = detector.endOfFile { adopt(found, body) }
  }

  private mutating func adopt(_ found: FormDetector.Found, _ body: (SampleRow) -> Void) {
    detector.clear()
    misfitCount = 0
    switch found.kind {
    case .teleplot: reading = .teleplot
    case .json: reading = .json
    case .labels: reading = .labels
    case .pairs: reading = .pairs
    case .values:
      guard let (separator, count) = found.columns else { return }
      if found.header != nil { skippedLineCount -= 1 }
      reading = .values(
        separator, columns(count, found.header), hasHeader: found.header != nil)
    }
    for (bytes, time) in found.lines {
      bytes.withUnsafeBytes { line in
        guard fits(line) else { return }
        skippedLineCount -= 1
        deliver(line, at: time, body)
      }
    }
  }

  /// Whether a line fits the form. Its numbers are then in the fields, and their series
  /// in the layout.
  private mutating func fits(_ line: UnsafeRawBufferPointer) -> Bool {
    switch reading {
    case nil: return false
    case .values(let separator, let columns, _):
      guard fields.readValues(line, separatedBy: separator, isAlone: columns.count == 1) else {
        return false
      }
      let excess = fields.fields.count - columns.count
      return excess == 0 || excess == 1 && fields.endsWithGap
    case .teleplot:
      guard fields.readTeleplot(line) else { return false }
      return identify(fields.fields.prefix(1), names: line, line)
    case .labels: return fields.readLabels(line) && identify(line)
    case .pairs: return fields.readPairs(line) && identify(line)
    case .json: return fields.readObject(line) && identify(line)
    case .pattern(let groups):
      return fields.readCaptures(line, by: &search!, of: groups) && identify(line)
    }
  }

  // MARK: Columns

  /// The series of columns.
  private mutating func columns(_ count: Int, _ header: LineFields.Header?) -> [Int?] {
    var names = Set<[UInt8]>()
    return (0..<count).map { index in
      var column = header?.columns[index] ?? LineFields.Header.Column(name: [])
      if column.name.isEmpty {
        column.name = Array((count == 1 ? Self.nameless : "\(Self.nameless) \(index + 1)").utf8)
      }
      // Two columns with one name are two series.
      let name = column.name
      var number = 2
      while !names.insert(column.name).inserted {
        column.name = name + Array(" \(number)".utf8)
        number += 1
      }
      return table.index(ofColumn: column.name, unit: column.unit)
    }
  }

  /// Takes the names of CSV that were in the line before the present one. After names were found, a
  /// line of text may only look like a header.
  private mutating func readColumnHeader() {
    guard case .values(let separator, let columns, hasHeader: false) = reading,
      separator != .blanks,
      let header = detector.header, header.separator == separator, !header.hasBlanks,
      header.columns.count == columns.count
    else { return }
    skippedLineCount -= 1
    reading = .values(separator, self.columns(columns.count, header), hasHeader: true)
  }

  /// Takes labels without values.
  private mutating func readLabelHeader(_ line: UnsafeRawBufferPointer) -> Bool {
    guard case .values(let separator, let columns, _) = reading,
      let header = LineFields.labelHeader(line), header.columns.count == columns.count
    else { return false }
    skippedLineCount -= 1
    reading = .values(separator, self.columns(columns.count, header), hasHeader: true)
    return true
  }

  // MARK: Names

  private mutating func identify(_ line: UnsafeRawBufferPointer) -> Bool {
    guard fields.hasNameText else { return identify(fields.fields[...], names: line, line) }
    let names = fields.nameText
    return names.withUnsafeBytes { identify(fields.fields[...], names: $0, line) }
  }

  /// Finds the series of fields by their names. New ones are added.
  ///
  /// - Returns: whether no name is there twice.
  private mutating func identify(
    _ fields: ArraySlice<LineFields.Field>, names: UnsafeRawBufferPointer,
    _ line: UnsafeRawBufferPointer
  ) -> Bool {
    guard fields.count <= LineFields.maximalCount else { return false }
    if layout.count < fields.count {
      layout += repeatElement(nil, count: fields.count - layout.count)
    }
    if stamps.count < table.series.count {
      stamps += repeatElement(0, count: table.series.count - stamps.count)
    }
    stamp += 1
    var hasNew = false
    for (index, field) in fields.enumerated() {
      let name = UnsafeRawBufferPointer(rebasing: names[field.name])
      let unit = UnsafeRawBufferPointer(rebasing: line[field.unit])
      if layout[index].map({ table.matches($0, name, unit: unit) }) != true {
        layout[index] = table.index(of: name, unit: unit)
      }
      guard let series = layout[index] else {
        hasNew = true
        continue
      }
      guard stamps[series] != stamp else { return false }
      stamps[series] = stamp
    }
    return !hasNew || table.isFull || add(fields, names: names, line)
  }

  /// Adds the series of the fields without one.
  private mutating func add(
    _ fields: ArraySlice<LineFields.Field>, names: UnsafeRawBufferPointer,
    _ line: UnsafeRawBufferPointer
  ) -> Bool {
    var seen = Set<[UInt8]>()
    for field in fields {
      guard seen.insert(names[field.name] + [0] + line[field.unit]).inserted else { return false }
    }
    for (index, field) in fields.enumerated() where layout[index] == nil {
      let name = UnsafeRawBufferPointer(rebasing: names[field.name])
      let unit = UnsafeRawBufferPointer(rebasing: line[field.unit])
      layout[index] = table.add(name, unit: unit)
    }
    return true
  }

  // MARK: Rows

  private mutating func deliver(
    _ line: UnsafeRawBufferPointer, at time: Double, _ body: (SampleRow) -> Void
  ) {
    if case .teleplot = reading { return deliverPoints(line, at: time, body) }
    samples.removeAll(keepingCapacity: true)
    if case .values(_, let columns, _) = reading {
      for index in columns.indices { append(fields.fields[index], columns[index]) }
    } else {
      for index in fields.fields.indices { append(fields.fields[index], layout[index]) }
    }
    if !samples.isEmpty {
      body(SampleRow(time: time, line: line, samples: samples, series: table.series))
    }
  }

  private mutating func append(_ field: LineFields.Field, _ series: Int?) {
    if let series {
      samples.append(Sample(series: series, value: field.value, text: field.text))
    } else {
      omittedValueCount += 1
    }
  }

  /// Delivers the points of a line of Teleplot's, each with its time.
  private mutating func deliverPoints(
    _ line: UnsafeRawBufferPointer, at time: Double, _ body: (SampleRow) -> Void
  ) {
    guard let series = layout[0] else {
      omittedValueCount += fields.fields.count
      return
    }
    let times = clock.times(
      of: fields.fields.map(\.milliseconds), series: series, received: time)
    for (field, time) in zip(fields.fields, times) {
      let sample = Sample(series: series, value: field.value, text: field.text)
      body(SampleRow(time: time, line: line, samples: [sample], series: table.series))
    }
  }
}
