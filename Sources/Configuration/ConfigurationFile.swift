/// A configuration: what holds for every session, and profiles with names.
public struct ConfigurationFile: Hashable, Sendable {
  /// What `[default]` says.
  public private(set) var defaults: [Entry] = []
  /// What the `[profile.NAME]` say, in the order of the file.
  public private(set) var profiles: [Profile] = []

  /// A profile.
  public struct Profile: Hashable, Sendable {
    public let name: String
    /// The line of its name, counted from 1.
    public let line: Int
    public let entries: [Entry]

    /// The entry of a key.
    public subscript(key: String) -> Entry? { entries.first { $0.key == key } }
  }

  /// Creates a configuration that says nothing.
  public init() {}

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - document: its bytes.
  ///   - check: is asked about every entry, and in which kind of table it stands; returns what is
  ///     wrong with it, in words.
  /// - Throws: ``ConfigurationError`` for the first thing that is wrong.
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

  /// The profile of a name.
  public func profile(named name: String) -> Profile? { profiles.first { $0.name == name } }

  private static func profile(_ table: Table) throws(ConfigurationError) -> Profile {
    guard table.path.first == "profile", table.path.count == 2 else {
      let name = table.path.joined(separator: ".")
      throw ConfigurationError(
        line: table.line, "the table [\(name)] is unknown: expected [default] or [profile.NAME]")
    }
    let name = table.path[1]
    if let complaint = complaint(aboutName: name) {
      throw ConfigurationError(line: table.line, complaint)
    }
    return Profile(name: name, line: table.line, entries: table.entries)
  }

  /// What keeps a name from being a profile's: it has to be told from a node, and from an option.
  public static func complaint(aboutName name: String) -> String? {
    let isWord = name.utf8.allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isLetter && byte < 0x80 || (0x30...0x39).contains(byte)
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
    guard isWord, !name.isEmpty, !name.hasPrefix("-") else {
      return "'\(name)' is no name for a profile: expected letters, digits, '-' and '_'"
    }
    return ["latest", "new"].contains(name) ? "'\(name)' is a TARGET, and no profile's name" : nil
  }
}
