import Configuration
import TextTools

/// A table of the configuration whose keys are names chosen by the
/// user: `[profile.board.snippets]`.
enum NameTable {
  /// The maximum length of a name in characters, so that it fits into lists.
  static let longestName = 24

  /// Reads the entries of a table.
  ///
  /// - Parameters:
  ///   - table: the key of the table.
  ///   - entries: the entries of a profile or of `[default]`. They may not contain the table.
  /// - Throws: `ConfigurationError` if the value is not a table, or if a name cannot be shown
  ///   in a list.
  static func entries(
    of table: String, in entries: [Entry]
  ) throws(ConfigurationError) -> [Entry] {
    guard let entry = entries.first(where: { $0.key == table }) else { return [] }
    guard case .table(let names) = entry.value else {
      throw ConfigurationError(
        line: entry.line,
        "'\(table)' is \(entry.value.kindName): expected a table, [profile.NAME.\(table)]")
    }
    for name in names {
      let isShown = name.key.unicodeScalars.allSatisfy(\.isShownAsItself)
      guard isShown, (1...longestName).contains(name.key.count) else {
        throw ConfigurationError(
          line: name.line,
          "a name is 1 to \(longestName) printable characters: '\(name.key.harmless)'")
      }
    }
    return names
  }
}
