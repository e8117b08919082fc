/// A configuration of tio, read in order to be written as one of ours.
///
/// What has no counterpart becomes a comment: nothing is lost without a word.
public struct TioImport {
  private var sections = [Section(name: "default")]
  private var current = 0

  /// A section, which may be there in several pieces.
  fileprivate struct Section {
    /// As tio has it.
    let name: String
    var settings: [String: String] = [:]
    var notUnderstood: [String] = []
  }

  /// The same as a configuration of ours.
  public static func text(of document: [UInt8]) -> String {
    var reader = TioImport()
    // tio's format is not pinned down; what is no UTF-8 can only stand in comments and names.
    let text = String(decoding: document, as: UTF8.self)
    for line in text.split(whereSeparator: \.isNewline) { reader.read(line) }
    return reader.sections.map { $0.lines.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private mutating func read(_ line: Substring) {
    let text = Self.trimmed(line)
    if text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") { return }
    if text.hasPrefix("["), text.hasSuffix("]") {
      return begin(String(Self.trimmed(text.dropFirst().dropLast())))
    }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      return sections[current].notUnderstood.append("# not understood: \(Self.harmless(text))")
    }
    sections[current].settings[String(Self.trimmed(parts[0]))] = String(Self.trimmed(parts[1]))
  }

  /// What stands in front of every section counts as tio's defaults.
  private mutating func begin(_ name: String) {
    current = sections.firstIndex { $0.name == name } ?? sections.count
    if current == sections.count { sections.append(Section(name: name)) }
  }

  // MARK: Names

  fileprivate static let numbers = [
    "baudrate": "baud", "databits": "data-bits", "stopbits": "stop-bits",
    "output-delay": "byte-delay", "output-line-delay": "line-delay",
  ]

  fileprivate static let flags = [
    "local-echo": "local-echo", "hexadecimal": "hex", "no-autoconnect": "no-reconnect",
    "no-reconnect": "no-reconnect", "log-append": "log-append",
  ]

  fileprivate static let formats = [
    "24hour": "time", "24hour-start": "start", "24hour-delta": "delta", "iso8601": "iso",
    "epoch": "epoch", "epoch-usec": "epoch:us",
  ]

  fileprivate static func isOn(_ value: String) -> Bool {
    ["true", "enable", "enabled", "yes", "on", "1"].contains(value.lowercased())
  }

  // MARK: Texts

  fileprivate static func profileName(_ name: String) -> String {
    let word = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0) ? $0 : "-" })
    return ConfigurationFile.complaint(aboutName: word) == nil ? word : "tio-\(word)"
  }

  fileprivate static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let blanks = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
    return start.dropLast(blanks)
  }

  /// Fit for a comment.
  fileprivate static func harmless(_ text: Substring) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
  }
}

extension TioImport.Section {
  /// The section as a table of ours.
  fileprivate var lines: [String] {
    let header = name == "default" ? name : "profile.\(TioImport.profileName(name))"
    let entries = settings.sorted { $0.key < $1.key }.filter { hasEffect($0.key) }.map {
      entry($0.key, $0.value) ?? "# tio's \(TioImport.harmless("\($0.key) = \($0.value)"[...]))"
    }
    return ["[\(header)]"] + notUnderstood + entries
  }

  /// What is only a detail of something that is off has no effect in tio either.
  private func hasEffect(_ name: String) -> Bool {
    switch name {
    case "timestamp-format": isOn("timestamp")
    case "log-file": isOn("log")
    case "log-append": isOn("log") && settings["log-file"] != nil
    default: true
    }
  }

  private func isOn(_ name: String) -> Bool { settings[name].map(TioImport.isOn) ?? false }

  private func entry(_ name: String, _ value: String) -> String? {
    if let key = TioImport.numbers[name] { return Int(value).map { "\(key) = \($0)" } }
    if let key = TioImport.flags[name] { return "\(key) = \(TioImport.isOn(value))" }
    switch name {
    case "device", "tty": return value.contains("%s") ? nil : "target = \(Value.string(value))"
    case "flow", "parity": return "\(name) = \(Value.string(value))"
    case "map": return map(value)
    case "timestamp":
      let format = settings["timestamp-format"].map { TioImport.formats[$0] ?? "time" } ?? "time"
      return TioImport.isOn(value) ? "timestamps = \"\(format)\"" : "# no timestamps"
    case "timestamp-format": return "# as tio's \(TioImport.harmless(value[...]))"
    case "log-file": return "log = \(Value.string(value))"
    case "log": return settings["log-file"] == nil ? nil : "# the log is on"
    case "prefix-ctrl-key":
      return value.count == 1 ? "prefix = \(Value.string("ctrl-\(value)"))" : nil
    default: return nil
    }
  }

  private func map(_ value: String) -> String? {
    let all = value.split(separator: ",").map(TioImport.trimmed)
    // It makes a break of a byte, and a break is no byte.
    let known = all.filter { $0.uppercased() != "ONULBRK" }
    guard !known.isEmpty else { return nil }
    return "map = \(Value.string(known.joined(separator: ",")))"
      + (known.count < all.count ? "  # tio's has ONULBRK too" : "")
  }
}
