/// The default values that a file of ser2net has set so far, as far as they have a counterpart.
struct Ser2netDefaults {
  /// The values by name and class; an empty class stands for all.
  private var values: [Key: String] = [:]

  private struct Key: Hashable {
    let name: String
    let kind: String
  }

  /// The names with a counterpart, and the class of gensio that uses them.
  private static let kinds: [String: String] = {
    var kinds = ["rfc2217": "telnet", "max-connections": "ser2net"]
    for name in Ser2netLine.defaultNames { kinds[name] = "serialdev" }
    return kinds
  }()

  /// Sets a value.
  ///
  /// - Parameter kind: the class; nil for all.
  /// - Returns: whether the name has a counterpart.
  mutating func set(_ name: String, of kind: String?, to value: String) -> Bool {
    guard let user = Self.kinds[name], kind == nil || kind == user else { return false }
    values[Key(name: name, kind: kind ?? "")] = value
    return true
  }

  /// Removes the value of a class; that for all classes counts again.
  mutating func remove(_ name: String, of kind: String) {
    values[Key(name: name, kind: kind)] = nil
  }

  /// The value that counts; nil for that of ser2net itself.
  subscript(name: String) -> String? {
    values[Key(name: name, kind: Self.kinds[name] ?? "")] ?? values[Key(name: name, kind: "")]
  }

  /// The reason why a default value was not used.
  static func reason(_ name: String) -> String {
    if kinds[name] != nil { return "serialterm has no ports of that class" }
    return Ser2netOption.reason(name) ?? "it has no counterpart"
  }
}
