extension LineFields {
  /// The words that are a unit after a number and a blank.
  enum UnitWords { case none, known, any }

  /// The maximum depth of lists.
  private static let maximalDepth = 8

  /// Reads a number or a list after its name, and the unit. Each number of a list is a field with
  /// its index in the name, as in JSON.
  ///
  /// - Parameter units: the words that are a unit after a blank.
  /// - Returns: the end of the text; nil if it is no value.
  mutating func readValue(
    _ line: UnsafeRawBufferPointer, of name: Range<Int>, from start: Int,
    decimalComma: NumberText.DecimalComma, units: UnitWords
  ) -> Int? {
    let first = fields.count
    let end = readNumbers(line, from: start, decimalComma: decimalComma)
    let unit = end.map { Self.unit(in: line, after: $0, units) }
    guard let unit, first < fields.count,
      unit.upperBound == line.count || line[unit.upperBound].endsValue
    else {
      fields.removeLast(fields.count - first)
      return nil
    }
    let isList = fields.count > first + 1
    if isList, !hasNameText {
      hasNameText = true
      for index in 0..<first { fields[index].name = appendName(line[fields[index].name]) }
    }
    for index in first..<fields.count {
      fields[index].unit = unit
      fields[index].name = hasNameText ? appendName(line[name], isList ? index - first : nil) : name
    }
    return unit.upperBound
  }

  /// Reads a number, or the numbers of a list as Python prints it: `(1, -2.5)`, `[[1 2] [3 4]]`.
  /// Their fields have no names.
  mutating func readNumbers(
    _ line: UnsafeRawBufferPointer, from start: Int, decimalComma: NumberText.DecimalComma,
    depth: Int = 0
  ) -> Int? {
    guard start < line.count, line[start].opensList else {
      let number = NumberText.number(in: line, from: start, decimalComma: decimalComma)
      guard let number, fields.count < Self.maximalCount else { return nil }
      fields.append(Field(name: 0..<0, value: number.value, text: start..<number.end))
      return number.end
    }
    guard depth < Self.maximalDepth else { return nil }
    let closing = UInt8(ascii: line[start] == UInt8(ascii: "(") ? ")" : "]")
    var index = Self.skipBlanks(line, from: start + 1)
    while index < line.count, line[index] != closing {
      let end = readNumbers(line, from: index, decimalComma: .never, depth: depth + 1)
      guard let end else { return nil }
      index = Self.skipBlanks(line, from: end)
      guard index < line.count else { return nil }
      if line[index] == UInt8(ascii: ",") {
        index = Self.skipBlanks(line, from: index + 1)
      } else if index == end, line[index] != closing {
        return nil
      }
    }
    return index < line.count ? index + 1 : nil
  }

  /// The range of the unit after a value, which is empty if there is none.
  ///
  /// A word after a blank is a unit if it begins with a sign such as "%" or is a common unit. Of
  /// any words, it also is one if two blanks, a comma, a semicolon, a tab or the end of the line
  /// follow it; otherwise it belongs to the next name.
  private static func unit(
    in line: UnsafeRawBufferPointer, after end: Int, _ units: UnitWords
  ) -> Range<Int> {
    let attached = end..<NumberText.unitEnd(in: line, from: end)
    guard attached.isEmpty, units != .none else { return attached }
    let start = skipSpaces(line, from: end)
    let word = start..<NumberText.unitEnd(in: line, from: start)
    let next = skipSpaces(line, from: word.upperBound)
    if word.isEmpty { return attached }
    var isUnit = !line[start].isLetter || NumberText.isUnit(line[word])
    if next == line.count || line[next].endsValue {
      return isUnit || units == .any ? word : attached
    }
    if units == .any, next > word.upperBound + 1 { isUnit = true }
    let isName = ":=".utf8.contains(line[next])
    return isUnit && !isName && next > word.upperBound ? word : attached
  }

  /// Appends a name, with an index, to ``nameText``.
  private mutating func appendName(
    _ name: Slice<UnsafeRawBufferPointer>, _ index: Int? = nil
  ) -> Range<Int> {
    let start = nameText.count
    nameText += name
    if let index { nameText += ".\(index)".utf8 }
    return start..<nameText.count
  }
}

extension UInt8 {
  /// Whether the byte begins a tuple or a list.
  var opensList: Bool { self == UInt8(ascii: "(") || self == UInt8(ascii: "[") }
}
