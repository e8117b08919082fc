/// Parses TOML 1.0.0 (https://toml.io/en/v1.0.0) completely.
///
/// A document is parsed into entries with their lines, so that the caller can name the line of a key that it does not
/// accept. In addition to TOML's own rules, the size of a document and the nesting of its values are limited, so that
/// no document uses much memory or a deep stack.
public struct TOMLReader {
  /// The maximum size of a document in bytes.
  public static let largestDocument = 1_048_576
  /// The maximum number of keys, arrays and inline tables that contain a value.
  static let deepestNesting = 64

  var scanner: Scanner
  /// The headings and keys that were read, except keys in inline tables.
  private var statements: [TOMLStatement] = []
  /// The path of the last heading.
  private var heading: [String] = []

  /// Parses a document.
  ///
  /// - Returns: the entries of the document's root table. All tables are values of entries, in any form in which they
  ///   are written.
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
      guard scanner.takeLineEnd() || scanner.peek == nil else {
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
    _ = scanner.take("[")
    let isElement = scanner.take("[")
    scanner.skipBlanks()
    let path = try readKey()
    guard scanner.take("]"), !isElement || scanner.take("]") else {
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
  mutating func readEntry(
    into tree: inout TableTree, _ table: Int
  ) throws(ConfigurationError) -> TOMLStatement {
    let (line, start) = (scanner.line, scanner.offset)
    let path = try readKey()
    let level = tree.level(of: table) + path.count
    guard level <= Self.deepestNesting else { throw tooDeep() }
    guard scanner.take("=") else {
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

  func tooDeep() -> ConfigurationError {
    scanner.error("nested more than \(Self.deepestNesting) levels deep")
  }

  // MARK: Keys

  /// Parses a key, which has several parts if it is dotted, and the blanks after it.
  private mutating func readKey() throws(ConfigurationError) -> [String] {
    var path = [try readKeyPart()]
    scanner.skipBlanks()
    while scanner.take(".") {
      guard path.count < Self.deepestNesting else { throw tooDeep() }
      scanner.skipBlanks()
      path.append(try readKeyPart())
      scanner.skipBlanks()
    }
    return path
  }

  private mutating func readKeyPart() throws(ConfigurationError) -> String {
    if scanner.take("\"") { return try readLine(until: "\"") }
    if scanner.take("'") { return try readLine(until: "'") }
    let key = scanner.takeWhile { $0.isBareKey }
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
