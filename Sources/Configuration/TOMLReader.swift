/// Parses tables of keys and values: the subset of TOML 1.0 that a configuration needs.
///
/// Supported are comments, tables, bare and quoted keys, strings on one line, numbers, booleans, and
/// arrays of these. The rest of TOML (dates, inline tables, arrays of tables, dotted keys, strings on
/// several lines) is rejected with a message that names it. Every accepted document has the same meaning
/// in full TOML.
public struct TOMLReader {
  /// The largest document, in bytes.
  public static let largestDocument = 1_048_576
  /// The deepest allowed nesting of arrays.
  static let deepestArray = 16

  var scanner: Scanner

  /// Parses a document.
  ///
  /// - Throws: ``ConfigurationError`` for the first error.
  public static func tables(in document: [UInt8]) throws(ConfigurationError) -> [Table] {
    guard document.count <= largestDocument else {
      throw ConfigurationError(line: 1, "larger than \(largestDocument / 1_048_576) MiB")
    }
    var reader = TOMLReader(scanner: Scanner(document))
    try reader.scanner.checkText()
    return try reader.readTables()
  }

  private mutating func readTables() throws(ConfigurationError) -> [Table] {
    var tables: [Table] = []
    var names: Set<[String]> = []
    var keys: Set<String> = []
    while try skipToSomething() {
      if scanner.take("[") {
        let table = try readTableName()
        guard names.insert(table.path).inserted else {
          throw scanner.error("duplicate table [\(table.path.joined(separator: "."))]")
        }
        tables.append(table)
        keys = []
      } else {
        let entry = try readEntry()
        guard let last = tables.indices.last else {
          throw ConfigurationError(
            line: entry.line,
            "'\(entry.key)' is not in a table: write [default] or [profile.NAME] above it")
        }
        guard keys.insert(entry.key).inserted else {
          throw ConfigurationError(line: entry.line, "duplicate key '\(entry.key)'")
        }
        tables[last].entries.append(entry)
      }
      try endLine()
    }
    return tables
  }

  // MARK: Lines

  /// Skips blanks, comments and empty lines.
  ///
  /// - Returns: Whether anything follows.
  mutating func skipToSomething() throws(ConfigurationError) -> Bool {
    while true {
      scanner.skipBlanks()
      if scanner.peek == UInt8(ascii: "#") { scanner.skipLine() }
      guard scanner.peek != nil else { return false }
      guard scanner.takeLineEnd() else { return true }
    }
  }

  private mutating func endLine() throws(ConfigurationError) {
    scanner.skipBlanks()
    if scanner.peek == UInt8(ascii: "#") { scanner.skipLine() }
    guard scanner.peek == nil || scanner.takeLineEnd() else {
      throw scanner.error("expected the end of the line, found \(scanner.shownNext)")
    }
  }

  private mutating func readTableName() throws(ConfigurationError) -> Table {
    let line = scanner.line
    guard scanner.peek != UInt8(ascii: "[") else {
      throw scanner.error("arrays of tables, [[…]], are not supported")
    }
    var path: [String] = []
    repeat {
      scanner.skipBlanks()
      path.append(try readKey())
      scanner.skipBlanks()
    } while scanner.take(".")
    guard scanner.take("]") else {
      throw scanner.error("expected ']' after the table's name")
    }
    return Table(path: path, line: line)
  }

  private mutating func readEntry() throws(ConfigurationError) -> Entry {
    let line = scanner.line
    let key = try readKey()
    scanner.skipBlanks()
    guard scanner.peek != UInt8(ascii: ".") else {
      throw scanner.error("dotted keys are not supported: write a table, [\(key).…]")
    }
    guard scanner.take("=") else { throw scanner.error("expected '=' after '\(key)'") }
    scanner.skipBlanks()
    return Entry(key: key, value: try readValue(depth: 0), line: line)
  }

  private mutating func readKey() throws(ConfigurationError) -> String {
    if scanner.peek == UInt8(ascii: "\"") || scanner.peek == UInt8(ascii: "'") {
      return try readString()
    }
    let key = scanner.takeWhile { $0.isBareKey }
    guard !key.isEmpty else { throw scanner.error("expected a key, found \(scanner.shownNext)") }
    return key
  }
}

extension UInt8 {
  /// Whether the byte may be part of a key without quotes.
  fileprivate var isBareKey: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
