/// Parsing of values.
extension TOMLReader {
  mutating func readValue(depth: Int) throws(ConfigurationError) -> Value {
    switch scanner.peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try readString())
    case UInt8(ascii: "["): return try readArray(depth: depth)
    case UInt8(ascii: "{"): throw scanner.error("inline tables, {…}, are not supported")
    default: return try readWord()
    }
  }

  private mutating func readArray(depth: Int) throws(ConfigurationError) -> Value {
    guard depth < Self.deepestArray else { throw scanner.error("arrays are nested too deeply") }
    _ = scanner.take("[")
    var values: [Value] = []
    while true {
      _ = try skipToSomething()
      if scanner.take("]") { return .array(values) }
      values.append(try readValue(depth: depth + 1))
      _ = try skipToSomething()
      if scanner.take(",") { continue }
      guard scanner.take("]") else {
        throw scanner.error("expected ',' or ']' in an array, found \(scanner.shownNext)")
      }
      return .array(values)
    }
  }

  // MARK: Strings

  /// Parses a basic or literal string on one line.
  mutating func readString() throws(ConfigurationError) -> String {
    let quote: Unicode.Scalar = scanner.take("'") ? "'" : "\""
    let isLiteral = quote == "'"
    if !isLiteral { _ = scanner.take("\"") }
    var text: [UInt8] = []
    while let byte = scanner.peek, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      if scanner.take(quote) {
        guard !text.isEmpty || !scanner.take(quote) else {
          throw scanner.error("strings on several lines are not supported")
        }
        return String(decoding: text, as: UTF8.self)
      }
      if !isLiteral && scanner.take("\\") {
        text += try readEscape()
      } else {
        text.append(byte)
        _ = scanner.next()
      }
    }
    throw scanner.error("the string has no closing quote")
  }

  private mutating func readEscape() throws(ConfigurationError) -> [UInt8] {
    switch scanner.next() {
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "\""): return [0x22]
    case UInt8(ascii: "\\"): return [0x5C]
    case UInt8(ascii: "u"): return try readScalar(digitCount: 4)
    case UInt8(ascii: "U"): return try readScalar(digitCount: 8)
    default:
      throw scanner.error(
        #"unknown escape sequence; for a backslash write \\, or use single quotes"#)
    }
  }

  private mutating func readScalar(digitCount: Int) throws(ConfigurationError) -> [UInt8] {
    var digits = ""
    while digits.utf8.count < digitCount, let byte = scanner.peek,
      Character(Unicode.Scalar(byte)).isHexDigit
    {
      digits.unicodeScalars.append(Unicode.Scalar(byte))
      _ = scanner.next()
    }
    guard digits.utf8.count == digitCount,
      let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
    else { throw scanner.error("the escape sequence is not a Unicode character") }
    return Array(String(scalar).utf8)
  }

  // MARK: Words

  private mutating func readWord() throws(ConfigurationError) -> Value {
    let next = scanner.shownNext
    let word = scanner.takeWhile {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: ":"):
        true
      default: false
      }
    }
    if word == "true" || word == "false" { return .boolean(word == "true") }
    guard !word.isEmpty else { throw scanner.error("expected a value, found \(next)") }
    if let value = NumberText(word)?.value { return value }
    throw scanner.error("'\(word)' is not a value; strings need quotes")
  }
}
