import Patterns
import TextTools

/// The numbers of a line with their names, before they belong to series.
///
/// Buffers are used again, so that a line needs no allocation. Each function returns whether the
/// line fits the form. Names and units are ranges, so that they can be compared without a copy.
struct LineFields {
  struct Field {
    /// The range of the name in the line, or in ``LineFields/nameText``.
    var name: Range<Int>
    /// The number. NaN is a gap.
    var value: Double
    /// The range of the digits in the line.
    var text: Range<Int>
    /// The range of the unit in the line. It is empty if there is none.
    var unit = 0..<0
    /// The time of the device in milliseconds.
    var milliseconds: Double?
  }

  /// The maximum number of values in a line.
  static let maximalCount = 1_024
  /// The maximum length of a label and of a key, in bytes.
  static let maximalNameLength = 64

  var fields: [Field] = []
  /// The names, if they are not parts of the line.
  var nameText: [UInt8] = []
  /// Whether the ranges of the names refer to ``nameText``.
  var hasNameText = false

  mutating func clear() {
    fields.removeAll(keepingCapacity: true)
    nameText.removeAll(keepingCapacity: true)
    hasNameText = false
  }

  // MARK: Labels

  /// Reads `a:1,b:2`.
  ///
  /// A name may have blanks. A comma in a number after a blank is a decimal point if the line
  /// does not fit otherwise, and so is the only comma after the only colon.
  mutating func readLabels(_ line: UnsafeRawBufferPointer) -> Bool {
    readLabels(line, decimalComma: .never)
      || Self.mayHaveDecimalCommas(line) && readLabels(line, decimalComma: .unlessThousands)
  }

  /// Whether a line has a comma, and no number with a point.
  static func mayHaveDecimalCommas(_ line: UnsafeRawBufferPointer) -> Bool {
    line.contains(UInt8(ascii: ",")) && !NumberText.hasPoint(in: line)
  }

  private mutating func readLabels(
    _ line: UnsafeRawBufferPointer, decimalComma: NumberText.DecimalComma
  ) -> Bool {
    clear()
    let isOnly = [UInt8(ascii: ","), UInt8(ascii: ":")].allSatisfy { sign in
      line.count { $0 == sign } == 1
    }
    var index = Self.skipBlanks(line, from: 0)
    while index < line.count {
      guard let name = Self.label(in: line, from: index) else { return false }
      let value = Self.skipBlanks(line, from: name.colon + 1)
      let end = readValue(
        line, of: name.range, from: value,
        decimalComma: isOnly || value > name.colon + 1 ? decimalComma : .never, units: .any)
      guard let end else { return false }
      index = Self.skipSeparator(line, from: end)
    }
    return !fields.isEmpty
  }

  /// The name before the next colon.
  static func label(
    in line: UnsafeRawBufferPointer, from start: Int
  ) -> (range: Range<Int>, colon: Int)? {
    var colon = start
    while colon < line.count, line[colon] != UInt8(ascii: ":") {
      let byte = line[colon]
      if byte == UInt8(ascii: "\t") || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ";") {
        return nil
      }
      colon += 1
    }
    guard colon < line.count else { return nil }
    var end = colon
    while end > start, line[end - 1] == UInt8(ascii: " ") { end -= 1 }
    return isName(in: line, start..<end) ? (start..<end, colon) : nil
  }

  /// Whether a text can be a name: it begins with a word, but not with a separate number, as in
  /// the rest of a line whose beginning was lost, nor with a fraction and its unit. "5V rail"
  /// is a name.
  static func isName(in line: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
    guard 1...maximalNameLength ~= range.count else { return false }
    let first = line[range.lowerBound]
    guard first.isWord || first >= 0x80 else { return false }
    if first.isDigit, let number = NumberText.number(in: line, from: range.lowerBound),
      line[range.lowerBound..<number.end].contains(UInt8(ascii: "."))
    {
      return false
    }
    var (hasLetter, isNumber) = (false, true)
    for index in range {
      let byte = line[index]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "="): return false
      case UInt8(ascii: " "): if isNumber { return false }
      default:
        if byte.isNameLetter {
          (hasLetter, isNumber) = (true, false)
        }
      }
    }
    return hasLetter
  }

  // MARK: Pairs

  /// Reads `key=value` and `the name = value` anywhere in the line.
  ///
  /// Without blanks beside the "=", the key is the word before it. With them, the line is prose:
  /// the name is all words back to the value before, a comma or another sign, a number or the
  /// level of a log's entry, a unit may follow a blank, and a comma may be a decimal point. A
  /// number with a comma that may separate thousands is no value there.
  mutating func readPairs(_ line: UnsafeRawBufferPointer) -> Bool {
    clear()
    let mayHaveCommas = Self.mayHaveDecimalCommas(line)
    var (index, start) = (0, 0)
    while index < line.count {
      guard line[index] == UInt8(ascii: "=") else {
        index += 1
        continue
      }
      let value = Self.skipBlanks(line, from: index + 1)
      let isProse = value > index + 1 || index > 0 && line[index - 1].isBlank
      if value < line.count, line[value] == UInt8(ascii: "\"") {
        index = Self.quoteEnd(line, from: value + 1)
        start = index
      } else if !isProse || !NumberText.hasThousands(in: line, from: value),
        let key = Self.key(in: line, before: index, after: start, isProse: isProse),
        let end = readPair(line, of: key, from: value, isProse: isProse, mayHaveCommas)
      {
        (index, start) = (end, end)
      } else {
        // A text, unless it is the key of the next value.
        let text = line[value...].firstIndex { $0.isSeparator || $0 == UInt8(ascii: "=") }
        let next = Self.skipBlanks(line, from: text ?? line.count)
        if next == line.count || line[next] != UInt8(ascii: "=") { start = next }
        index += 1
      }
    }
    return !fields.isEmpty
  }

  /// Reads the value of a key, with a decimal comma if there may be one and it fits.
  private mutating func readPair(
    _ line: UnsafeRawBufferPointer, of key: Range<Int>, from value: Int, isProse: Bool,
    _ mayHaveCommas: Bool
  ) -> Int? {
    let units = isProse ? UnitWords.known : .none
    if isProse, mayHaveCommas,
      let end = readValue(
        line, of: key, from: value, decimalComma: .unlessThousands, units: units)
    {
      return end
    }
    return readValue(line, of: key, from: value, decimalComma: .never, units: units)
  }

  /// The key that ends before an equals sign.
  private static func key(
    in line: UnsafeRawBufferPointer, before equals: Int, after bound: Int, isProse: Bool
  ) -> Range<Int>? {
    var end = equals
    while end > bound, line[end - 1].isBlank { end -= 1 }
    guard var start = word(in: line, before: end, after: bound) else { return nil }
    while isProse {
      var gap = start
      while gap > bound, line[gap - 1] == UInt8(ascii: " ") { gap -= 1 }
      guard gap < start, let next = word(in: line, before: gap, after: bound),
        end - next <= maximalNameLength, isNameWord(in: line, next..<gap)
      else { break }
      start = next
    }
    // What cannot begin a name belongs to the log's entry, too.
    while !isName(in: line, start..<end), let blank = line[start..<end].firstIndex(of: 0x20) {
      start = skipBlanks(line, from: blank)
    }
    guard 1...maximalNameLength ~= end - start,
      line[start..<end].contains(where: \.isNameLetter)
    else { return nil }
    return start..<end
  }

  /// Whether a word may be in a name before its last word. A number, a time and a count may not,
  /// and so most words with digits, but a word with one digit at its end: `ADC1 value`. The level
  /// of a log's entry may not either; one letter is a level after a digit or a bracket.
  private static func isNameWord(in line: UnsafeRawBufferPointer, _ word: Range<Int>) -> Bool {
    let text = line[word]
    guard text.count > 1 else {
      var before = word.lowerBound
      while before > 0, line[before - 1] == UInt8(ascii: " ") { before -= 1 }
      let isFirst =
        before == 0 || !line[before - 1].isDigit && !"])".utf8.contains(line[before - 1])
      return !text[word.lowerBound].isDigit
        && (isFirst || !"EWIDVT".utf8.contains(text[word.lowerBound]))
    }
    guard let digit = text.firstIndex(where: \.isDigit) else {
      return !levels.contains { text.elementsEqual($0.bytes) }
    }
    return digit == word.upperBound - 1 && text.count > 2
      && text.dropLast().allSatisfy(\.isNameLetter)
  }

  private static let levels: [StaticString] = [
    "ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE",
  ]

  /// The start of the word that ends at a position. Brackets in it are in pairs.
  private static func word(
    in line: UnsafeRawBufferPointer, before end: Int, after bound: Int
  ) -> Int? {
    var (start, depth, hasWord) = (end, 0, false)
    while start > bound {
      let byte = line[start - 1]
      if byte == UInt8(ascii: "]") || byte == UInt8(ascii: ")") {
        depth += 1
      } else if byte.opensList, depth > 0 {
        depth -= 1
      } else if byte.isWord || byte >= 0x80 {
        hasWord = true
      } else if !"./-%#".utf8.contains(byte) {
        break
      }
      start -= 1
    }
    guard hasWord, depth == 0,
      start == 0 || line[start - 1].isSeparator || "([{|\"'>".utf8.contains(line[start - 1])
    else { return nil }
    return start
  }

  private static func quoteEnd(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < line.count, line[index] != UInt8(ascii: "\"") {
      index += line[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, line.count)
  }

  // MARK: Teleplot

  /// Reads `>name:value`, `>name:ms:value;ms:value§unit|flags`. All fields have the same name.
  ///
  /// The flags "t" (text) and "xy" (pairs of coordinates) do not fit: such values are no numbers
  /// over time. "np" and "clr" only matter to Teleplot's own window, and others, such as statsd's
  /// "g", have no meaning here.
  mutating func readTeleplot(_ line: UnsafeRawBufferPointer) -> Bool {
    clear()
    guard line.count > 3, line[0] == UInt8(ascii: ">"),
      case let colon = Self.index(of: UInt8(ascii: ":"), in: line, from: 1), colon < line.count,
      1...Self.maximalNameLength ~= colon - 1, line[1] != 0x20, line[1] != UInt8(ascii: ">")
    else { return false }
    let name = 1..<colon
    guard !line[name].contains(UInt8(ascii: "|")) else { return false }
    let flags = Self.index(of: UInt8(ascii: "|"), in: line, from: colon)
    guard flags == line.count || hasNumbers(flags: line[(flags + 1)...]) else { return false }
    // The section sign in UTF-8.
    var end = colon
    while end < flags, !(line[end] == 0xC2 && end + 1 < flags && line[end + 1] == 0xA7) { end += 1 }
    let unit = end < flags ? (end + 2)..<flags : 0..<0
    var index = colon + 1
    while index < end {
      guard let first = NumberText.number(in: line, from: index), first.end <= end else {
        return false
      }
      var field = Field(name: name, value: first.value, text: index..<first.end, unit: unit)
      if first.end < end, line[first.end] == UInt8(ascii: ":") {
        guard let second = NumberText.number(in: line, from: first.end + 1), second.end <= end,
          first.value.isFinite
        else { return false }
        field.milliseconds = first.value
        (field.value, field.text) = (second.value, (first.end + 1)..<second.end)
      }
      fields.append(field)
      index = field.text.upperBound
      guard index == end || line[index] == UInt8(ascii: ";") else { return false }
      index += 1
    }
    return !fields.isEmpty
  }

  private func hasNumbers(flags: Slice<UnsafeRawBufferPointer>) -> Bool {
    !flags.split(separator: UInt8(ascii: ",")).contains {
      $0.elementsEqual("t".utf8) || $0.elementsEqual("xy".utf8)
    }
  }

  // MARK: Patterns

  /// The steps that a search in one line may take.
  private static let budget = 100_000

  /// Reads the groups of a pattern that are numbers. Blanks around a number, and a unit after
  /// it, are allowed. A pattern without groups stands for the number in its match, if there is
  /// only one: `T=[0-9.]+`.
  mutating func readCaptures(
    _ line: UnsafeRawBufferPointer, by search: inout LineCaptures,
    of groups: [(index: Int, name: String)]
  ) -> Bool {
    clear()
    hasNameText = true
    guard let captures = search.captures(in: line, budget: Self.budget) else { return false }
    for (index, name) in groups {
      guard let range = captures[index] else { continue }
      let text = UnsafeRawBufferPointer(rebasing: line[..<range.upperBound])
      let isMatch = index == 0
      let start =
        isMatch
        ? Self.onlyNumber(in: text, from: range.lowerBound) ?? text.count
        : Self.skipBlanks(text, from: range.lowerBound)
      guard let number = NumberText.number(in: text, from: start, decimalComma: .unlessThousands)
      else {
        continue
      }
      let unit = Self.skipBlanks(text, from: number.end)
      let end = NumberText.unitEnd(in: text, from: unit)
      guard isMatch || Self.skipBlanks(text, from: end) == text.count else { continue }
      let nameStart = nameText.count
      nameText += name.utf8
      fields.append(
        Field(
          name: nameStart..<nameText.count, value: number.value, text: start..<number.end,
          unit: unit..<end))
    }
    return !fields.isEmpty
  }

  /// The position of the number in a text that has only one; nil if it has none or several. A digit
  /// in a word, such as that of CH1, begins no number.
  private static func onlyNumber(in text: UnsafeRawBufferPointer, from start: Int) -> Int? {
    var found: Int?
    var index = start
    while index < text.count {
      let isInWord = index > start && (text[index - 1].isWord || text[index - 1] >= 0x80)
      if !isInWord,
        let number = NumberText.number(in: text, from: index, decimalComma: .unlessThousands)
      {
        guard found == nil else { return nil }
        found = index
        index = max(number.end, index + 1)
      } else {
        index += 1
      }
    }
    return found
  }

  // MARK: Positions

  static func skipBlanks(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < line.count, line[index].isBlank { index += 1 }
    return index
  }

  static func skipSpaces(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    var index = start
    while index < line.count, line[index] == UInt8(ascii: " ") { index += 1 }
    return index
  }

  /// Skips blanks with at most one comma or semicolon.
  static func skipSeparator(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
    let index = skipBlanks(line, from: start)
    guard index < line.count, line[index].isSeparator else { return index }
    return skipBlanks(line, from: index + 1)
  }

  private static func index(
    of byte: UInt8, in line: UnsafeRawBufferPointer, from start: Int
  ) -> Int {
    var index = start
    while index < line.count, line[index] != byte { index += 1 }
    return index
  }
}

extension UInt8 {
  /// Whether the byte is a letter or may be a part of one.
  fileprivate var isNameLetter: Bool { isLetter || self == UInt8(ascii: "_") || self >= 0x80 }

  /// Whether the byte is a blank, a comma or a semicolon.
  fileprivate var isSeparator: Bool {
    isBlank || self == UInt8(ascii: ",") || self == UInt8(ascii: ";")
  }

  /// Whether a value ends before the byte.
  var endsValue: Bool { isSeparator || ")]}|\"'".utf8.contains(self) }
}
