/// Parsing of values.
extension TOMLReader {
  /// Parses a value.
  ///
  /// - Parameter level: the number of keys, arrays and inline tables that contain the value.
  mutating func readValue(level: Int) throws(ConfigurationError) -> Value {
    switch scanner.peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try readString())
    case UInt8(ascii: "["): return .array(try readArray(level: level))
    case UInt8(ascii: "{"): return .table(try readInlineTable(level: level))
    default: return try readWord()
    }
  }

  private mutating func readArray(level: Int) throws(ConfigurationError) -> [Value] {
    guard level < Self.deepestNesting else { throw tooDeep() }
    _ = scanner.take("[")
    var values: [Value] = []
    while true {
      _ = scanner.skipToSomething()
      if scanner.take("]") { return values }
      values.append(try readValue(level: level + 1))
      _ = scanner.skipToSomething()
      if scanner.take(",") { continue }
      guard scanner.take("]") else {
        throw scanner.error("expected ',' or ']' in an array, found \(scanner.shownNext)")
      }
      return values
    }
  }

  private mutating func readInlineTable(level: Int) throws(ConfigurationError) -> [Entry] {
    var tree = TableTree(level: level)
    _ = scanner.take("{")
    scanner.skipBlanks()
    if scanner.take("}") { return [] }
    while true {
      scanner.skipBlanks()
      try readEntry(into: &tree, TableTree.root)
      scanner.skipBlanks()
      if scanner.take("}") { return tree.entries }
      guard scanner.take(",") else {
        throw scanner.error("expected ',' or '}' on the same line, found \(scanner.shownNext)")
      }
    }
  }

  // MARK: Words

  /// Parses a value without quotes or brackets: a boolean, a number, a date or a time.
  private mutating func readWord() throws(ConfigurationError) -> Value {
    let start = scanner
    let word = scanner.takeWhile { $0.isValueWord }
    if word.elementsEqual("true".utf8) { return .boolean(true) }
    if word.elementsEqual("false".utf8) { return .boolean(false) }
    guard let first = word.first else {
      throw scanner.error("expected a value, found \(scanner.shownNext)")
    }
    if let value = NumberText(word)?.value { return value }
    if let value = DateTimeText(word)?.value {
      // A blank may separate a date from a time.
      guard case .date = value, scanner.peek == 0x20,
        let digit = scanner.peek(at: 1), (0x30...0x39).contains(digit)
      else { return value }
      scanner = start
      var blankCount = 0
      let both = scanner.takeWhile {
        blankCount += $0 == 0x20 ? 1 : 0
        return blankCount < 2 && ($0 == 0x20 || $0.isValueWord)
      }
      if let value = DateTimeText(both)?.value { return value }
      throw scanner.error("'\(String(decoding: both, as: UTF8.self))' is not a date and time")
    }
    let text = String(decoding: word, as: UTF8.self)
    guard (0x30...0x39).contains(first) || first == UInt8(ascii: "+") || first == UInt8(ascii: "-")
    else { throw scanner.error("'\(text)' is not a value; strings need quotes") }
    throw scanner.error("'\(text)' is not a number, a date or a time; strings need quotes")
  }
}

extension UInt8 {
  /// Whether the byte may be part of a boolean, a number, a date or a time.
  fileprivate var isValueWord: Bool {
    isBareKey || self == UInt8(ascii: "+") || self == UInt8(ascii: ".")
      || self == UInt8(ascii: ":")
  }
}
