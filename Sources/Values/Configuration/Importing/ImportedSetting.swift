/// A setting of another program, or several that are only meaningful together, and their
/// conversion.
struct ImportedSetting: Sendable {
  /// The keys of that program that it converts.
  let keys: [String]
  /// Converts the values. A key that no line mentions is reported as not imported.
  let convert: @Sendable (ImportedValues) -> [SettingLine]

  /// Converts one key.
  init(
    _ key: String, _ convert: @escaping @Sendable (_ value: String, ImportedValues) -> SettingLine
  ) {
    self.init([key]) { values in values[key].map { [convert($0, values)] } ?? [] }
  }

  /// Converts several keys together.
  init(_ keys: [String], _ convert: @escaping @Sendable (ImportedValues) -> [SettingLine]) {
    self.keys = keys
    self.convert = convert
  }
}

/// One line of the converted configuration.
enum SettingLine: Hashable {
  /// An entry converted from the keys `from`, with an optional remark as a comment.
  case entry(String, Value, from: [String], remark: String? = nil)
  /// serialterm does the same without an entry.
  case same(String, as: String)
  /// The key has no counterpart.
  case dropped(String, because: String)
}

/// The effective values of a section: its own, and the defaults for keys that it does not set.
struct ImportedValues {
  /// The section's name.
  let section: String
  private let own: [String: String]
  private let defaults: [String: String]
  private let complaint: ProfileImport.Check

  /// - Parameter defaults: the values of the section `default`, by ``dictionary(_:)``.
  init(
    _ section: ImportedSection, defaults: [String: String], complaint: @escaping ProfileImport.Check
  ) {
    self.section = section.name
    own = Self.dictionary(section)
    self.defaults = defaults
    self.complaint = complaint
  }

  /// The values of a section by their keys.
  static func dictionary(_ section: ImportedSection) -> [String: String] {
    Dictionary(section.settings.map { ($0.key, $0.value) }) { $1 }
  }

  /// The effective value of a key.
  subscript(key: String) -> String? { own[key] ?? defaults[key] }

  /// Whether the section itself sets the key.
  func has(_ key: String) -> Bool { own[key] != nil }

  /// Whether a setting is on; nil if it is not set, or if its value is neither on nor off.
  func isOn(_ key: String) -> Bool? { self[key].flatMap(Self.boolean) }

  /// tio 2 accepts all of these words, tio 3 only true, false, 1 and 0.
  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "enable", "enabled", "on", "yes", "1": true
    case "false", "disable", "disabled", "off", "no", "0": false
    default: nil
    }
  }

  /// The reason why serialterm refuses a value; nil if it accepts it.
  func complaint(about key: String, _ value: Value) -> String? { complaint(key, value) }
}
