/// The contents of a configuration file: defaults for every session, and named profiles.
public struct ConfigurationFile: Hashable, Sendable {
  /// The entries of `[default]`.
  public private(set) var defaults: [Entry] = []
  /// The tables `[profile.NAME]`, in the order in which the file first names them.
  public private(set) var profiles: [Profile] = []

  /// A profile.
  public struct Profile: Hashable, Sendable {
    public let name: String
    /// The line of its heading or of its first key, counted from 1.
    public let line: Int
    public let entries: [Entry]

    /// The entry with a key.
    public subscript(key: String) -> Entry? { entries.first { $0.key == key } }
  }

  /// Creates an empty configuration.
  public init() {}

  /// Parses a configuration file.
  ///
  /// - Parameters:
  ///   - document: the bytes of the file.
  ///   - check: called for every entry of `[default]` and of a profile. The entry may be a table
  ///     that only the caller knows. It throws an error with the line of the mistake.
  /// - Throws: ``ConfigurationError`` for the first error.
  public init(
    parsing document: [UInt8],
    check: (Entry, _ isDefault: Bool) throws(ConfigurationError) -> Void
  ) throws(ConfigurationError) {
    for entry in try TOMLReader.entries(in: document) {
      switch (entry.key, entry.value) {
      case ("default", .table(let entries)):
        for entry in entries { try check(entry, true) }
        defaults = entries
      case ("profile", .table(let tables)):
        guard !tables.isEmpty else { throw Self.unknownTable(entry) }
        for table in tables {
          let profile = try Self.profile(table)
          for entry in profile.entries { try check(entry, false) }
          profiles.append(profile)
        }
      case ("default", let value):
        throw ConfigurationError(
          line: entry.line, "'default' is \(value.kindName): expected the table [default]")
      case ("profile", let value):
        throw ConfigurationError(
          line: entry.line, "'profile' is \(value.kindName): expected tables [profile.NAME]")
      case (_, .table): throw Self.unknownTable(entry)
      default:
        throw ConfigurationError(
          line: entry.line,
          "'\(entry.key)' is not in a table: write [default] or [profile.NAME] above it")
      }
    }
  }

  private static func unknownTable(_ entry: Entry) -> ConfigurationError {
    ConfigurationError(
      line: entry.line, "unknown table [\(entry.key)]: expected [default] or [profile.NAME]")
  }

  /// The profile with a name; nil if there is none.
  public func profile(named name: String) -> Profile? { profiles.first { $0.name == name } }

  private static func profile(_ table: Entry) throws(ConfigurationError) -> Profile {
    guard case .table(let entries) = table.value else {
      throw ConfigurationError(
        line: table.line,
        "'profile.\(table.key)' is \(table.value.kindName): expected a table, [profile.NAME]")
    }
    if let complaint = complaint(aboutName: table.key) {
      throw ConfigurationError(line: table.line, complaint)
    }
    return Profile(name: table.key, line: table.line, entries: entries)
  }

  /// Why a text cannot be the name of a profile: it could be mistaken for a path, an option or a
  /// TARGET. Nil if it can.
  public static func complaint(aboutName name: String) -> String? {
    let isWord = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (0x30...0x39).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    guard isWord, !name.isEmpty, !name.hasPrefix("-") else {
      return "'\(name)' cannot be a profile's name: expected letters, digits, '-' and '_'"
    }
    guard ["latest", "new"].contains(name) else { return nil }
    return "'\(name)' cannot be a profile's name: it is a TARGET"
  }
}
