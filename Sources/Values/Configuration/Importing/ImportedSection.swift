/// The settings of a section in a file of another program, which become a profile.
struct ImportedSection {
  /// Its name in that file.
  let name: String
  /// The settings in the order of the file. If a key is repeated, the last one counts.
  var settings: [(key: String, value: String)] { lines.compactMap(\.self) }
  /// Lines that are not settings, without control characters.
  var otherLines: [String] = []

  /// The settings; nil for one that a later line replaces.
  private var lines: [(key: String, value: String)?] = []
  /// The index of each key's setting.
  private var places: [String: Int] = [:]

  init(name: String) { self.name = name }

  mutating func set(_ key: String, to value: String) {
    if let place = places.updateValue(lines.count, forKey: key) { lines[place] = nil }
    lines.append((key, value))
  }
}

// MARK: The lines of a profile

extension ImportedSection {
  /// The lines of a section, in the order of the file.
  ///
  /// - Parameters:
  ///   - values: its effective values.
  ///   - program: the program, for the reason of an unknown setting.
  ///   - setting: the setting of the program that uses a key.
  func lines(
    _ values: ImportedValues, of program: String, _ setting: (String) -> ImportedSetting?
  ) -> [SettingLine] {
    var seen: Set<String> = []
    var lines: [SettingLine] = []
    for (key, _) in settings where !seen.contains(key) {
      guard let setting = setting(key) else {
        lines.append(.dropped(key, because: "not a setting of \(program)"))
        continue
      }
      seen.formUnion(setting.keys)
      let own = setting.keys.filter(values.has)
      let converted = setting.convert(values).flatMap { Self.checked($0, own, values) }
      lines += converted
      let named = Set(converted.flatMap(\.sources))
      lines += own.filter { !named.contains($0) }.map { .dropped($0, because: "it has no effect") }
    }
    return lines
  }

  /// Checks a line if it comes from keys that the section itself sets. A refused entry
  /// becomes a comment.
  private static func checked(_ line: SettingLine, _ own: [String], _ values: ImportedValues)
    -> [SettingLine]
  {
    switch line {
    case .same(let key, _), .dropped(let key, _): return own.contains(key) ? [line] : []
    case .entry(let name, let value, let sources, _):
      guard let complaint = values.complaint(about: name, value) else { return [line] }
      return sources.filter(own.contains).map { .dropped($0, because: complaint) }
    }
  }

  /// The text of a line in a configuration.
  static func text(_ line: SettingLine, _ values: ImportedValues) -> String {
    switch line {
    case .entry(let name, let value, _, let remark):
      return "\(name) = \(value)" + (remark.map { "  # \($0.inComment)" } ?? "")
    case .same(let key, let what):
      return "# \(key) = \((values[key] ?? "").inComment): \(what)"
    case .dropped(let key, let reason):
      return
        "# not imported: \(key.inComment) = \((values[key] ?? "").inComment) (\(reason.inComment))"
    }
  }

  /// The lines that are not settings, as comments.
  var otherComments: [String] {
    otherLines.map {
      "# not imported: \($0)" + ($0.hasPrefix("[include ") ? " (import that file too)" : "")
    }
  }
}

extension SettingLine {
  /// The keys from which the line comes.
  var sources: [String] {
    switch self {
    case .entry(_, _, let keys, _): keys
    case .same(let key, _), .dropped(let key, _): [key]
    }
  }

  var isDropped: Bool { if case .dropped = self { true } else { false } }
}
