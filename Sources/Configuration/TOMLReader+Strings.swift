/// Parsing of strings.
extension TOMLReader {
  /// Parses a string: basic (`"`) or literal (`'`), on one line or, in three quotes, on several.
  mutating func readString() throws(ConfigurationError) -> String {
    let line = scanner.line
    let quote: Unicode.Scalar = scanner.take("'") ? "'" : "\""
    if quote == "\"" { _ = scanner.take("\"") }
    guard scanner.take(quote) else { return try readLine(until: quote) }
    return scanner.take(quote) ? try readLines(until: quote, from: line) : ""
  }

  /// Parses the rest of a string on one line.
  mutating func readLine(until quote: Unicode.Scalar) throws(ConfigurationError) -> String {
    var text = takeText(until: quote)
    if scanner.take(quote) { return String(decoding: text, as: UTF8.self) }
    while true {
      guard quote == "\"", scanner.take("\\") else {
        throw scanner.error("the string has no closing quote")
      }
      try readEscape(into: &text)
      text += takeText(until: quote)
      if scanner.take(quote) { return String(decoding: text, as: UTF8.self) }
    }
  }

  /// Parses the rest of a string on several lines.
  private mutating func readLines(
    until quote: Unicode.Scalar, from line: Int
  ) throws(ConfigurationError) -> String {
    // The newline after the quotes is not part of the string.
    _ = scanner.takeLineEnd()
    var text: ArraySlice<UInt8> = []
    while true {
      text += takeText(until: quote)
      if scanner.takeLineEnd() {
        // Normalised even in a file with CRLF: a string has the same meaning on all systems.
        text.append(UInt8(ascii: "\n"))
      } else if scanner.take(quote) {
        // The string may end with one or two quotes, before the three that close it.
        var count = 1
        while count < 5, scanner.take(quote) { count += 1 }
        let isClosed = count >= 3
        text += repeatElement(UInt8(ascii: quote), count: isClosed ? count - 3 : count)
        if isClosed { return String(decoding: text, as: UTF8.self) }
      } else if scanner.take("\\") {
        if try !skipLineEnding() { try readEscape(into: &text) }
      } else {
        throw ConfigurationError(line: line, "the string has no closing quotes")
      }
    }
  }

  /// Skips the text up to a quote, a backslash with a meaning, or the end of the line.
  private mutating func takeText(until quote: Unicode.Scalar) -> ArraySlice<UInt8> {
    let isBasic = quote == "\""
    let quote = UInt8(ascii: quote)
    return scanner.takeWhile { byte in
      byte != quote && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")
        && !(isBasic && byte == UInt8(ascii: "\\"))
    }
  }

  // MARK: Escape sequences

  /// After a backslash, skips the end of the line with all blanks and newlines that follow it.
  ///
  /// - Returns: whether the backslash was the last character of its line.
  private mutating func skipLineEnding() throws(ConfigurationError) -> Bool {
    guard let next = scanner.peek, [0x20, 0x09, 0x0A, 0x0D].contains(next) else { return false }
    scanner.skipBlanks()
    guard scanner.takeLineEnd() else {
      throw scanner.error("a backslash before blanks must end its line; for a backslash write \\\\")
    }
    repeat { scanner.skipBlanks() } while scanner.takeLineEnd()
    return true
  }

  private mutating func readEscape(into text: inout ArraySlice<UInt8>) throws(ConfigurationError) {
    let escape = scanner.peek
    if escape != UInt8(ascii: "\n") { _ = scanner.next() }
    switch escape {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "\""): text.append(0x22)
    case UInt8(ascii: "\\"): text.append(0x5C)
    case UInt8(ascii: "u"): text += try readScalar(digitCount: 4)
    case UInt8(ascii: "U"): text += try readScalar(digitCount: 8)
    default:
      throw scanner.error(
        #"unknown escape sequence; for a backslash write \\, or use single quotes"#)
    }
  }

  private mutating func readScalar(digitCount: Int) throws(ConfigurationError) -> String.UTF8View {
    var value: UInt32 = 0
    for _ in 0..<digitCount {
      guard let byte = scanner.peek, let digit = byte.digit(radix: 16), value < 0x1000_0000 else {
        throw scanner.error("expected \(digitCount) hexadecimal digits in an escape sequence")
      }
      value = value << 4 | UInt32(digit)
      _ = scanner.next()
    }
    guard let scalar = Unicode.Scalar(value) else {
      throw scanner.error("the escape sequence is not a Unicode character")
    }
    return String(scalar).utf8
  }
}
