/// Reads tables of keys with values: the part of TOML 1.0 that a configuration needs.
///
/// That is comments, tables, bare and quoted keys, strings in one line, numbers, booleans, and
/// arrays of these. What else TOML has (dates, inline tables, tables in arrays, keys with dots,
/// strings over several lines) is refused by name, never misread. Whatever is read means in TOML
/// what it means here.
public struct TOMLReader {
  /// The largest document, in bytes.
  public static let largestDocument = 1_048_576
  /// How deep arrays may lie in arrays.
  static let deepestArray = 16

  var scanner: Scanner

  /// Reads a document.
  ///
  /// - Throws: ``ConfigurationError`` for the first thing that is wrong.
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
          throw scanner.error("the table [\(table.path.joined(separator: "."))] is there twice")
        }
        tables.append(table)
        keys = []
      } else {
        let entry = try readEntry()
        guard let last = tables.indices.last else {
          throw ConfigurationError(line: entry.line, "'\(entry.key)' stands in no table")
        }
        guard keys.insert(entry.key).inserted else {
          throw ConfigurationError(line: entry.line, "'\(entry.key)' is there twice")
        }
        tables[last].entries.append(entry)
      }
      try endLine()
    }
    return tables
  }

  // MARK: Lines

  /// Passes blanks, comments and empty lines.
  ///
  /// - Returns: whether there is something behind them.
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
      throw scanner.error("expected the end of the line, not \(scanner.shownNext)")
    }
  }

  private mutating func readTableName() throws(ConfigurationError) -> Table {
    let line = scanner.line
    guard scanner.peek != UInt8(ascii: "[") else {
      throw scanner.error("tables in arrays, [[…]], are not read here")
    }
    var path: [String] = []
    repeat {
      scanner.skipBlanks()
      path.append(try readKey())
      scanner.skipBlanks()
    } while scanner.take(".")
    guard scanner.take("]") else {
      throw scanner.error("expected ']' at the end of the table's name")
    }
    return Table(path: path, line: line)
  }

  private mutating func readEntry() throws(ConfigurationError) -> Entry {
    let line = scanner.line
    let key = try readKey()
    scanner.skipBlanks()
    guard scanner.peek != UInt8(ascii: ".") else {
      throw scanner.error("keys with dots are not read here: write a table, [\(key).…]")
    }
    guard scanner.take("=") else { throw scanner.error("expected '=' behind '\(key)'") }
    scanner.skipBlanks()
    return Entry(key: key, value: try readValue(depth: 0), line: line)
  }

  private mutating func readKey() throws(ConfigurationError) -> String {
    if scanner.peek == UInt8(ascii: "\"") || scanner.peek == UInt8(ascii: "'") {
      return try readString()
    }
    let key = scanner.takeWhile { $0.isBareKey }
    guard !key.isEmpty else { throw scanner.error("expected a key, not \(scanner.shownNext)") }
    return key
  }
}

extension UInt8 {
  /// Whether it may stand in a key without quotes.
  fileprivate var isBareKey: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
