/// The contents of a configuration file: defaults for every session, and named profiles.
public struct ConfigurationFile: Hashable, Sendable {
  /// The entries of `[default]`.
  public private(set) var defaults: [Entry] = []
  /// The tables `[profile.NAME]`, in the order of the file.
  public private(set) var profiles: [Profile] = []

  /// A profile.
  public struct Profile: Hashable, Sendable {
    public let name: String
    /// The line of its heading, counted from 1.
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
  ///   - document: The bytes of the file.
  ///   - check: Called for every entry; returns a description of the mistake, or nil.
  /// - Throws: ``ConfigurationError`` for the first error.
  public init(
    parsing document: [UInt8], check: (Entry, _ isDefault: Bool) -> String?
  ) throws(ConfigurationError) {
    for table in try TOMLReader.tables(in: document) {
      let isDefault = table.path == ["default"]
      for entry in table.entries where isDefault || table.path.first == "profile" {
        if let complaint = check(entry, isDefault) {
          throw ConfigurationError(line: entry.line, complaint)
        }
      }
      if isDefault {
        defaults = table.entries
      } else {
        profiles.append(try Self.profile(table))
      }
    }
  }

  /// The profile with a name, nil if there is none.
  public func profile(named name: String) -> Profile? { profiles.first { $0.name == name } }

  private static func profile(_ table: Table) throws(ConfigurationError) -> Profile {
    guard table.path.first == "profile", table.path.count == 2 else {
      let name = table.path.joined(separator: ".")
      throw ConfigurationError(
        line: table.line, "unknown table [\(name)]: expected [default] or [profile.NAME]")
    }
    let name = table.path[1]
    if let complaint = complaint(aboutName: name) {
      throw ConfigurationError(line: table.line, complaint)
    }
    return Profile(name: name, line: table.line, entries: table.entries)
  }

  /// Why a name cannot be a profile's name: it could be mistaken for a path, an option or a TARGET. Nil
  /// if it can.
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
