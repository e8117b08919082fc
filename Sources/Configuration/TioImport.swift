/// A configuration of tio, read in order to be written as one of ours.
///
/// What has no counterpart becomes a comment: nothing is lost without a word.
public struct TioImport {
  private var lines: [String] = []
  private var section: [String: String] = [:]

  /// The same as a configuration of ours.
  public static func text(of document: [UInt8]) -> String {
    var reader = TioImport()
    // tio's format is not pinned down; what is no UTF-8 can only stand in comments and names.
    let text = String(decoding: document, as: UTF8.self)
    reader.begin("default")
    for line in text.split(whereSeparator: \.isNewline) { reader.read(line) }
    reader.end()
    return reader.lines.joined(separator: "\n") + "\n"
  }

  private mutating func read(_ line: Substring) {
    let text = Self.trimmed(line)
    if text.isEmpty || text.hasPrefix("#") || text.hasPrefix(";") { return }
    if text.hasPrefix("["), text.hasSuffix("]") {
      end()
      let name = Self.trimmed(text.dropFirst().dropLast())
      begin(name == "default" ? nil : "profile.\(Self.profileName(name))")
      return
    }
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return lines.append("# not understood: \(Self.harmless(text))") }
    section[String(Self.trimmed(parts[0]))] = String(Self.trimmed(parts[1]))
  }

  // MARK: Tables

  /// - Parameter table: nil to go on in the first one, which has tio's defaults.
  private mutating func begin(_ table: String?) {
    guard let table else { return }
    lines += (lines.isEmpty ? [] : [""]) + ["[\(table)]"]
  }

  private mutating func end() {
    let switches = ["timestamp": "timestamp-format", "log": "log-file"]
    for (name, value) in section.sorted(by: { $0.key < $1.key }) {
      // What is only a detail of something that is off has no effect there either.
      if let owner = switches.first(where: { $0.value == name })?.key {
        guard section[owner].map(Self.isOn) ?? false else { continue }
      }
      lines.append(entry(name, value) ?? "# tio's \(Self.harmless("\(name) = \(value)"[...]))")
    }
    section = [:]
  }

  private func entry(_ name: String, _ value: String) -> String? {
    if let key = Self.numbers[name] { return Int(value).map { "\(key) = \($0)" } }
    if let key = Self.flags[name] { return "\(key) = \(Self.isOn(value))" }
    switch name {
    case "device", "tty": return value.contains("%s") ? nil : "target = \(Value.string(value))"
    case "flow", "parity", "map": return "\(name) = \(Value.string(value))"
    case "timestamp":
      let format = section["timestamp-format"].map { Self.formats[$0] ?? "time" } ?? "time"
      return Self.isOn(value) ? "timestamps = \"\(format)\"" : "# no timestamps"
    case "timestamp-format": return "# as tio's \(Self.harmless(value[...]))"
    case "log-file": return "log = \(Value.string(value))"
    case "log": return section["log-file"] == nil ? nil : "# the log is on"
    case "prefix-ctrl-key": return value.count == 1 ? "prefix = \"ctrl-\(value)\"" : nil
    default: return nil
    }
  }

  private static let numbers = [
    "baudrate": "baud", "databits": "data-bits", "stopbits": "stop-bits",
    "output-delay": "byte-delay", "output-line-delay": "line-delay",
  ]

  private static let flags = [
    "local-echo": "local-echo", "hexadecimal": "hex", "no-autoconnect": "no-reconnect",
    "no-reconnect": "no-reconnect", "log-append": "log-append",
  ]

  private static let formats = [
    "24hour": "time", "24hour-start": "start", "24hour-delta": "delta", "iso8601": "iso",
    "epoch": "epoch", "epoch-usec": "epoch:us",
  ]

  private static func isOn(_ value: String) -> Bool {
    ["true", "enable", "enabled", "yes", "on", "1"].contains(value.lowercased())
  }

  // MARK: Texts

  private static func profileName(_ name: Substring) -> String {
    let word = String(
      name.map { $0.isASCII && ($0.isLetter || $0.isNumber) || "-_".contains($0) ? $0 : "-" })
    return ConfigurationFile.complaint(aboutName: word) == nil ? word : "tio-\(word)"
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop { $0 == " " || $0 == "\t" }
    let blanks = start.reversed().prefix { $0 == " " || $0 == "\t" }.count
    return start.dropLast(blanks)
  }

  /// Fit for a comment.
  private static func harmless(_ text: Substring) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != "\u{7F}" }))
  }
}
