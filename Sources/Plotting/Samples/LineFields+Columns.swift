/// What separates the columns of a line.
enum ColumnSeparator: UInt8, Sendable {
  case semicolon = 0x3B
  case comma = 0x2C
  case tab = 0x09
  /// Any number of spaces and tabs.
  case blanks = 0x20

  /// The separator that a line seems to have. A comma is no decimal point: such numbers do not fit.
  init(of line: UnsafeRawBufferPointer) {
    var separator = ColumnSeparator.blanks
    for byte in line {
      switch byte {
      case ColumnSeparator.semicolon.rawValue:
        self = .semicolon
        return
      case ColumnSeparator.comma.rawValue: separator = .comma
      case ColumnSeparator.tab.rawValue: if separator == .blanks { separator = .tab }
      default: break
      }
    }
    self = separator
  }

  /// Skips blanks that do not separate columns.
  fileprivate func skipPadding(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < line.count, line[index] == 0x20 || line[index] == 0x09 && self != .tab {
      index += 1
    }
    return index
  }
}

extension LineFields {
  // MARK: Values

  /// Reads numbers without names. An empty column is a gap.
  mutating func readValues(
    _ line: UnsafeRawBufferPointer, separatedBy separator: ColumnSeparator
  ) -> Bool {
    clear()
    var hasValue = false
    var index = separator.skipPadding(line, from: 0)
    while fields.count < Self.maximalCount {
      if index < line.count, line[index] != separator.rawValue {
        guard let number = NumberText.number(in: line, from: index) else { return false }
        fields.append(Field(name: 0..<0, value: number.value, text: index..<number.end))
        hasValue = true
        index = separator.skipPadding(line, from: number.end)
        if index == line.count { return true }
        if separator == .blanks {
          guard index > number.end else { return false }
          continue
        }
        guard line[index] == separator.rawValue else { return false }
      } else {
        fields.append(Field(name: 0..<0, value: .nan, text: index..<index))
        if index >= line.count { return hasValue }
      }
      index = separator.skipPadding(line, from: index + 1)
    }
    return false
  }

  /// Whether the last column is empty: perhaps the line only ends with a separator.
  var endsWithGap: Bool { fields.last.map(\.text.isEmpty) ?? false }

  // MARK: Headers

  /// The names of columns.
  struct Header: Equatable {
    struct Column: Equatable {
      /// The name in UTF-8; empty for a column without one.
      var name: [UInt8]
      var unit: [UInt8] = []
    }

    let columns: [Column]
    /// The separator of CSV; nil for Arduino's labels, after each of which is a colon.
    let separator: ColumnSeparator?

    /// Whether a name has a blank: then the line may be a sentence.
    var hasBlanks: Bool { columns.contains { $0.name.contains(0x20) } }
  }

  /// Reads `A:\tB:`, labels without values.
  static func labelHeader(_ line: UnsafeRawBufferPointer) -> Header? {
    var columns: [Header.Column] = []
    var index = skipBlanks(line, from: 0)
    while index < line.count {
      guard columns.count < maximalCount, let name = label(in: line, from: index) else {
        return nil
      }
      columns.append(Header.Column(name: Array(line[name.range])))
      index = name.colon + 1
      guard
        index == line.count || line[index].isBlank || line[index] == ColumnSeparator.comma.rawValue
          || line[index] == ColumnSeparator.semicolon.rawValue
      else { return nil }
      index = skipSeparator(line, from: index)
    }
    return columns.isEmpty ? nil : Header(columns: columns, separator: nil)
  }

  /// Reads the names of CSV. A unit may follow a name in brackets. A number is no name.
  static func columnHeader(_ line: UnsafeRawBufferPointer) -> Header? {
    let separator = ColumnSeparator(of: line)
    var columns: [Header.Column] = []
    for part in line.split(
      separator: separator.rawValue, omittingEmptySubsequences: separator == .blanks)
    {
      guard columns.count < maximalCount else { return nil }
      var column = part
      while let first = column.first, first.isBlank { column = column.dropFirst() }
      while let last = column.last, last.isBlank { column = column.dropLast() }
      if column.count > 1, column.first == UInt8(ascii: "\""), column.last == UInt8(ascii: "\"") {
        column = column.dropFirst().dropLast()
      }
      // The first column of pandas has no name.
      guard !column.isEmpty else {
        columns.append(Header.Column(name: []))
        continue
      }
      guard isName(in: line, column.startIndex..<column.endIndex),
        !column.contains(UInt8(ascii: ":")),
        NumberText.number(in: line, from: column.startIndex)?.end ?? 0 < column.endIndex
      else { return nil }
      columns.append(withUnit(Array(column)))
    }
    if columns.last?.name.isEmpty == true { columns.removeLast() }
    return columns.allSatisfy(\.name.isEmpty) ? nil : Header(columns: columns, separator: separator)
  }

  /// Divides `name [unit]` and `name (unit)`.
  private static func withUnit(_ text: [UInt8]) -> Header.Column {
    let brackets: [(UInt8, UInt8)] = [
      (UInt8(ascii: "["), UInt8(ascii: "]")), (UInt8(ascii: "("), UInt8(ascii: ")")),
    ]
    for (opening, closing) in brackets where text.last == closing {
      guard let start = text.lastIndex(of: opening), start > 0, start + 2 < text.count,
        !text[start...].dropFirst().allSatisfy({ $0.isDigit || $0 == closing })
      else { continue }
      var name = text[..<start]
      while name.last?.isBlank == true { name.removeLast() }
      return Header.Column(name: Array(name), unit: Array(text[(start + 1)..<(text.count - 1)]))
    }
    return Header.Column(name: text)
  }
}
