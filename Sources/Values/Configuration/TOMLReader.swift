/// Parses TOML 1.0.0 (https://toml.io/en/v1.0.0) completely.
///
/// A document is parsed into entries with their lines, so that the caller can name the line of a
/// key that it does not accept. In addition to TOML's own rules, the size of a document and the
/// nesting of its values are limited, so that no document uses much memory or a deep stack.
public struct TOMLReader {
  /// The maximum size of a document in bytes.
  public static let largestDocument = 1_048_576
  /// The maximum number of keys, arrays and inline tables that contain a value.
  private static let deepestNesting = 64

  private var scanner: Scanner
  /// The headings and keys that were read, except keys in inline tables.
  private var statements: [TOMLStatement] = []
  /// The path of the last heading.
  private var heading: [String] = []

  /// Parses a document.
  ///
  /// - Returns: the entries of the document's root table. All tables are values of entries, in any
  ///   form in which they are written.
  /// - Throws: ``ConfigurationError`` for the first error.
  public static func entries(in document: [UInt8]) throws(ConfigurationError) -> [Entry] {
    var reader = TOMLReader(scanner: Scanner(document))
    return try reader.readDocument(of: document.count)
  }

  /// Parses a document, and returns the positions of its headings and keys.
  ///
  /// - Throws: ``ConfigurationError`` for the first error.
  static func statements(in document: [UInt8]) throws(ConfigurationError) -> [TOMLStatement] {
    var reader = TOMLReader(scanner: Scanner(document))
    _ = try reader.readDocument(of: document.count)
    return reader.statements
  }

  private init(scanner: Scanner) { self.scanner = scanner }

  private mutating func readDocument(of size: Int) throws(ConfigurationError) -> [Entry] {
    guard size <= Self.largestDocument else {
      throw ConfigurationError(line: 1, "larger than \(Self.largestDocument / 1_048_576) MiB")
    }
    try scanner.checkText()
    var tree = TableTree(level: 0)
    var table = TableTree.root
    while scanner.skipToSomething() {
      if scanner.peek == UInt8(ascii: "[") {
        table = try readHeading(into: &tree)
      } else {
        statements.append(try readEntry(into: &tree, table))
      }
      scanner.skipBlanksAndComment()
      guard scanner.consumeLineEnd() || scanner.peek == nil else {
        throw scanner.error("expected the end of the line, found \(scanner.shownNext)")
      }
    }
    return tree.entries
  }

  /// Parses `[a.b]` or `[[a.b]]`.
  ///
  /// - Returns: the table of the following entries.
  private mutating func readHeading(into tree: inout TableTree) throws(ConfigurationError) -> Int {
    let (line, start) = (scanner.line, scanner.offset)
    _ = scanner.consume("[")
    let isElement = scanner.consume("[")
    scanner.skipBlanks()
    let path = try readKey()
    guard scanner.consume("]"), !isElement || scanner.consume("]") else {
      let bracket = isElement ? "]]" : "]"
      throw scanner.error("expected '\(bracket)' after the table's name")
    }
    heading = path
    statements.append(
      TOMLStatement(
        heading: path, key: [], line: line, range: start..<scanner.offset,
        value: scanner.offset..<scanner.offset, isElement: isElement))
    return isElement
      ? try tree.appendTable(path, line: line) : try tree.defineTable(path, line: line)
  }

  /// Parses a key and its value, and adds them to a table.
  ///
  /// - Returns: their position.
  @discardableResult
  private mutating func readEntry(
    into tree: inout TableTree, _ table: Int
  ) throws(ConfigurationError) -> TOMLStatement {
    let (line, start) = (scanner.line, scanner.offset)
    let path = try readKey()
    let level = tree.level(of: table) + path.count
    guard level <= Self.deepestNesting else { throw tooDeep() }
    guard scanner.consume("=") else {
      throw scanner.error("expected '=' after '\(path.joined(separator: "."))'")
    }
    scanner.skipBlanks()
    let valueStart = scanner.offset
    let value = try readValue(level: level)
    try tree.set(path, to: value, in: table, line: line)
    return TOMLStatement(
      heading: heading, key: path, line: line, range: start..<scanner.offset,
      value: valueStart..<scanner.offset, isElement: false)
  }

  private func tooDeep() -> ConfigurationError {
    scanner.error("nested more than \(Self.deepestNesting) levels deep")
  }

  // MARK: Keys

  /// Parses a key, which has several parts if it is dotted, and the blanks after it.
  private mutating func readKey() throws(ConfigurationError) -> [String] {
    var path = [try readKeyPart()]
    scanner.skipBlanks()
    while scanner.consume(".") {
      guard path.count < Self.deepestNesting else { throw tooDeep() }
      scanner.skipBlanks()
      path.append(try readKeyPart())
      scanner.skipBlanks()
    }
    return path
  }

  private mutating func readKeyPart() throws(ConfigurationError) -> String {
    if scanner.consume("\"") { return try readLine(until: "\"") }
    if scanner.consume("'") { return try readLine(until: "'") }
    let key = scanner.readWhile { $0.isBareKey }
    guard !key.isEmpty else { throw scanner.error("expected a key, found \(scanner.shownNext)") }
    return String(decoding: key, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether the byte may be part of a key without quotes.
  var isBareKey: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// Parsing of values.
extension TOMLReader {
  /// Parses a value.
  ///
  /// - Parameter level: the number of keys, arrays and inline tables that contain the value.
  private mutating func readValue(level: Int) throws(ConfigurationError) -> Value {
    switch scanner.peek {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try readString())
    case UInt8(ascii: "["): return .array(try readArray(level: level))
    case UInt8(ascii: "{"): return .table(try readInlineTable(level: level))
    default: return try readWord()
    }
  }

  private mutating func readArray(level: Int) throws(ConfigurationError) -> [Value] {
    guard level < Self.deepestNesting else { throw tooDeep() }
    _ = scanner.consume("[")
    var values: [Value] = []
    while true {
      _ = scanner.skipToSomething()
      if scanner.consume("]") { return values }
      values.append(try readValue(level: level + 1))
      _ = scanner.skipToSomething()
      if scanner.consume(",") { continue }
      guard scanner.consume("]") else {
        throw scanner.error("expected ',' or ']' in an array, found \(scanner.shownNext)")
      }
      return values
    }
  }

  private mutating func readInlineTable(level: Int) throws(ConfigurationError) -> [Entry] {
    var tree = TableTree(level: level)
    _ = scanner.consume("{")
    scanner.skipBlanks()
    if scanner.consume("}") { return [] }
    while true {
      scanner.skipBlanks()
      try readEntry(into: &tree, TableTree.root)
      scanner.skipBlanks()
      if scanner.consume("}") { return tree.entries }
      guard scanner.consume(",") else {
        throw scanner.error("expected ',' or '}' on the same line, found \(scanner.shownNext)")
      }
    }
  }

  // MARK: Words

  /// Parses a value without quotes or brackets: a boolean, a number, a date or a time.
  private mutating func readWord() throws(ConfigurationError) -> Value {
    let start = scanner
    let word = scanner.readWhile { $0.isValueWord }
    if word.elementsEqual("true".utf8) { return .boolean(true) }
    if word.elementsEqual("false".utf8) { return .boolean(false) }
    guard let first = word.first else {
      throw scanner.error("expected a value, found \(scanner.shownNext)")
    }
    if let value = TOMLNumber(word)?.value { return value }
    if let value = DateTimeText(word)?.value {
      // A blank may separate a date from a time.
      guard case .date = value, scanner.peek == UInt8(ascii: " "),
        let digit = scanner.peek(at: 1), (0x30...0x39).contains(digit)
      else { return value }
      scanner = start
      var blankCount = 0
      let both = scanner.readWhile {
        blankCount += $0 == UInt8(ascii: " ") ? 1 : 0
        return blankCount < 2 && ($0 == UInt8(ascii: " ") || $0.isValueWord)
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

/// Parsing of strings.
extension TOMLReader {
  /// Parses a string: basic (`"`) or literal (`'`), on one line or, in three quotes, on several.
  private mutating func readString() throws(ConfigurationError) -> String {
    let line = scanner.line
    let quote: Unicode.Scalar = scanner.consume("'") ? "'" : "\""
    if quote == "\"" { _ = scanner.consume("\"") }
    guard scanner.consume(quote) else { return try readLine(until: quote) }
    return scanner.consume(quote) ? try readLines(until: quote, from: line) : ""
  }

  /// Parses the rest of a string on one line.
  private mutating func readLine(until quote: Unicode.Scalar) throws(ConfigurationError) -> String {
    var text = readText(until: quote)
    if scanner.consume(quote) { return String(decoding: text, as: UTF8.self) }
    while true {
      guard quote == "\"", scanner.consume("\\") else {
        throw scanner.error("the string has no closing quote")
      }
      try readEscape(into: &text)
      text += readText(until: quote)
      if scanner.consume(quote) { return String(decoding: text, as: UTF8.self) }
    }
  }

  /// Parses the rest of a string on several lines.
  private mutating func readLines(
    until quote: Unicode.Scalar, from line: Int
  ) throws(ConfigurationError) -> String {
    // The newline after the quotes is not part of the string.
    _ = scanner.consumeLineEnd()
    var text: ArraySlice<UInt8> = []
    while true {
      text += readText(until: quote)
      if scanner.consumeLineEnd() {
        // Normalised even in a file with CRLF: a string has the same meaning on all systems.
        text.append(UInt8(ascii: "\n"))
      } else if scanner.consume(quote) {
        // The string may end with one or two quotes, before the three that close it.
        var count = 1
        while count < 5, scanner.consume(quote) { count += 1 }
        let isClosed = count >= 3
        text += repeatElement(UInt8(ascii: quote), count: isClosed ? count - 3 : count)
        if isClosed { return String(decoding: text, as: UTF8.self) }
      } else if scanner.consume("\\") {
        if try !skipLineEnding() { try readEscape(into: &text) }
      } else {
        throw ConfigurationError(line: line, "the string has no closing quotes")
      }
    }
  }

  /// Skips the text up to a quote, a backslash with a meaning, or the end of the line.
  private mutating func readText(until quote: Unicode.Scalar) -> ArraySlice<UInt8> {
    let isBasic = quote == "\""
    let quote = UInt8(ascii: quote)
    return scanner.readWhile { byte in
      byte != quote && byte != UInt8(ascii: "\n") && byte != UInt8(ascii: "\r")
        && !(isBasic && byte == UInt8(ascii: "\\"))
    }
  }

  // MARK: Escape sequences

  /// After a backslash, skips the end of the line with all blanks and newlines that follow it.
  ///
  /// - Returns: whether the backslash was the last character of its line.
  private mutating func skipLineEnding() throws(ConfigurationError) -> Bool {
    guard let next = scanner.peek, " \t\n\r".utf8.contains(next) else { return false }
    scanner.skipBlanks()
    guard scanner.consumeLineEnd() else {
      throw scanner.error("a backslash before blanks must end its line; for a backslash write \\\\")
    }
    repeat { scanner.skipBlanks() } while scanner.consumeLineEnd()
    return true
  }

  private mutating func readEscape(into text: inout ArraySlice<UInt8>) throws(ConfigurationError) {
    let escape = scanner.peek
    if escape != UInt8(ascii: "\n") { _ = scanner.next() }
    switch escape {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
    case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
    case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
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
