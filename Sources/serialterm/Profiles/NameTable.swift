import Configuration
import PlainText

/// A table of the configuration whose keys are names that the user chose: `[profile.board.snippets]`.
enum NameTable {
  /// The largest number of characters of a name: lists have room for it.
  static let longestName = 24

  /// The entries of a table.
  ///
  /// - Parameters:
  ///   - table: its key.
  ///   - entries: the entries of a profile or of `[default]`, in which the table may be missing.
  /// - Throws: `ConfigurationError` if it is not a table, or if a name cannot be shown in a list.
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
