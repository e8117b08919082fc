/// What separates the columns of a line.
enum ColumnSeparator: UInt8, Sendable {
  case semicolon = 0x3B
  case comma = 0x2C
  case tab = 0x09
  /// Any number of spaces and tabs.
  case blanks = 0x20

  /// The separator that a line seems to have, outside of quoted names.
  init(of line: UnsafeRawBufferPointer) {
    var separator = ColumnSeparator.blanks
    var isQuoted = false
    for byte in line {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
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

  /// The separators that a line with this one may really have. A comma may be in the numbers, and
  /// blanks and tabs may separate them.
  var alternatives: [ColumnSeparator] {
    switch self {
    case .comma: [.comma, .tab, .blanks]
    case .tab: [.tab, .blanks]
    case .semicolon, .blanks: [self]
    }
  }

  /// What a comma in a number is. With tabs and semicolons, numbers have no thousands separators.
  fileprivate var decimalComma: NumberText.DecimalComma {
    switch self {
    case .comma: .never
    case .tab, .semicolon: .always
    case .blanks: .unlessThousands
    }
  }

  /// Skips blanks that do not separate columns.
  fileprivate func skipPadding(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < line.count,
      line[index] == UInt8(ascii: " ") || line[index] == UInt8(ascii: "\t") && self != .tab
    {
      index += 1
    }
    return index
  }
}

extension LineFields {
  // MARK: Values

  /// Reads numbers without names. An empty column is a gap. Lists may stand for numbers.
  ///
  /// - Parameter isAlone: whether there is one number, in which a comma is no decimal point.
  mutating func readValues(
    _ line: UnsafeRawBufferPointer, separatedBy separator: ColumnSeparator, isAlone: Bool = false
  ) -> Bool {
    clear()
    var decimalComma = isAlone ? NumberText.DecimalComma.never : separator.decimalComma
    if decimalComma != .never, !Self.mayHaveDecimalCommas(line) { decimalComma = .never }
    var hasValue = false
    var index = separator.skipPadding(line, from: 0)
    while fields.count < Self.maximalCount {
      if index < line.count, line[index] != separator.rawValue {
        let first = fields.count
        guard let end = readNumbers(line, from: index, decimalComma: decimalComma),
          fields.count > first
        else { return false }
        hasValue = true
        index = separator.skipPadding(line, from: end)
        if index == line.count { return true }
        // Python has a blank before a list.
        if separator == .blanks || line[index].opensList {
          guard index > end else { return false }
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
    var hasBlanks: Bool { columns.contains { $0.name.contains(UInt8(ascii: " ")) } }
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

  /// Reads the names of CSV, quoted as in RFC 4180 or not. A unit may follow a name in brackets. A
  /// number is no name.
  static func columnHeader(_ line: UnsafeRawBufferPointer) -> Header? {
    let separator = ColumnSeparator(of: line)
    var columns: [Header.Column] = []
    var index = separator.skipPadding(line, from: 0)
    while index < line.count {
      guard columns.count < maximalCount else { return nil }
      if line[index] == UInt8(ascii: "\"") {
        guard let quoted = quotedName(in: line, from: index) else { return nil }
        columns.append(withUnit(quoted.name))
        index = separator.skipPadding(line, from: quoted.end)
        guard
          index == line.count || line[index] == separator.rawValue
            || separator == .blanks && index > quoted.end
        else { return nil }
      } else {
        let next = line[index...].firstIndex(of: separator.rawValue) ?? line.count
        var end = next
        while end > index, line[end - 1].isBlank { end -= 1 }
        guard end == index || isColumnName(in: line, index..<end) else { return nil }
        // The first column of pandas has no name.
        columns.append(withUnit(Array(line[index..<end])))
        index = next
      }
      if index < line.count, line[index] == separator.rawValue { index += 1 }
      index = separator.skipPadding(line, from: index)
    }
    if columns.last?.name.isEmpty == true { columns.removeLast() }
    return columns.allSatisfy(\.name.isEmpty) ? nil : Header(columns: columns, separator: separator)
  }

  /// Whether a text can be the name of a column. The name of a port may be before that of the
  /// series: `port: name`.
  private static func isColumnName(in line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    guard isName(in: line, range) else { return false }
    var start = range.lowerBound
    if let colon = line[range].lastIndex(of: UInt8(ascii: ":")) {
      guard colon + 2 < range.upperBound, line[colon + 1] == UInt8(ascii: " "),
        isName(in: line, (colon + 2)..<range.upperBound)
      else { return false }
      start = colon + 2
    }
    return NumberText.number(in: line, from: start)?.end ?? 0 < range.upperBound
  }

  /// Reads a quoted name, in which two quotes are one.
  private static func quotedName(
    in line: UnsafeRawBufferPointer, from start: Int
  ) -> (name: [UInt8], end: Int)? {
    let quote = UInt8(ascii: "\"")
    var name: [UInt8] = []
    var index = start + 1
    while index < line.count, name.count <= maximalNameLength {
      if line[index] == quote {
        index += 1
        guard index < line.count, line[index] == quote else {
          let isNumber = name.withUnsafeBytes {
            NumberText.number(in: $0, from: 0)?.end == name.count
          }
          return name.count <= maximalNameLength && !isNumber ? (name, index) : nil
        }
      }
      name.append(line[index])
      index += 1
    }
    return nil
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
