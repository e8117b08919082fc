/// A configuration of tio, converted to one of serialterm.
public struct TioImport: ProfileImport {
  public let text: String
  public let droppedCount: Int

  /// Converts a configuration.
  ///
  /// - Parameters:
  ///   - document: the bytes of tio's configuration file.
  ///   - complaint: checks each entry. An entry that it refuses becomes a comment.
  public init(_ document: [UInt8], complaint: @escaping Check) {
    let file = TioFile(parsing: document)
    let defaults = TioValues.dictionary(file.sections[0])
    var names = ProfileNames(of: "tio")
    var tables: [String] = []
    var count = 0
    for section in file.sections {
      let values = TioValues(section, defaults: defaults, complaint: complaint)
      let lines = Self.lines(section, values)
      let isDefault = section.name == "default"
      // An empty [default] is omitted: appended to a configuration, it could be a duplicate table.
      if isDefault && lines.isEmpty && section.otherLines.isEmpty { continue }
      let heading = isDefault ? ["[default]"] : names.heading(for: section.name).lines
      let others = section.otherLines.map {
        "# not imported: \($0)" + ($0.hasPrefix("[include ") ? " (import that file too)" : "")
      }
      count += others.count + lines.filter(\.isDropped).count
      let body = lines.map { Self.text($0, values) }
      tables.append((heading + others + body).joined(separator: "\n") + "\n")
    }
    text = tables.joined(separator: "\n")
    droppedCount = count
  }

  /// The lines of a section, in the order of the file.
  private static func lines(_ section: TioFile.Section, _ values: TioValues) -> [TioLine] {
    var seen: Set<String> = []
    var lines: [TioLine] = []
    for (key, _) in section.settings where !seen.contains(key) {
      guard let setting = TioSetting.about(key) else {
        lines.append(.dropped(key, because: "not a setting of tio 1 to 3"))
        continue
      }
      seen.formUnion(setting.keys)
      let own = setting.keys.filter(values.has)
      let converted = setting.convert(values).flatMap { checked($0, own, values) }
      lines += converted
      let named = Set(converted.flatMap(\.sources))
      lines += own.filter { !named.contains($0) }.map { .dropped($0, because: "it has no effect") }
    }
    return lines
  }

  /// Checks a line if it comes from keys that the section itself sets. A refused entry
  /// becomes a comment.
  private static func checked(_ line: TioLine, _ own: [String], _ values: TioValues) -> [TioLine] {
    switch line {
    case .same(let key, _), .dropped(let key, _): return own.contains(key) ? [line] : []
    case .entry(let name, let value, let sources, _):
      guard let complaint = values.complaint(about: name, value) else { return [line] }
      return sources.filter(own.contains).map { .dropped($0, because: complaint) }
    }
  }

  // MARK: Text

  private static func text(_ line: TioLine, _ values: TioValues) -> String {
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
}

extension TioLine {
  /// The keys of tio from which the line comes.
  fileprivate var sources: [String] {
    switch self {
    case .entry(_, _, let keys, _): keys
    case .same(let key, _), .dropped(let key, _): [key]
    }
  }

  fileprivate var isDropped: Bool { if case .dropped = self { true } else { false } }
}
