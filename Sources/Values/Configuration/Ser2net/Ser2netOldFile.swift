import TextTools

/// A configuration file of ser2net 2 and 3, `ser2net.conf`, in the terms of ser2net 4.
///
/// Its lines are `PORT:STATE:TIMEOUT:DEVICE:OPTIONS`, and names for texts, `BANNER:NAME:TEXT`. See
/// ser2net(8) of version 3.5, "CONFIGURATION".
struct Ser2netOldFile {
  private(set) var connections: [Ser2netFile.Connection] = []
  private(set) var others: [(what: String, reason: String)] = []

  private var defaults = Ser2netDefaults()
  /// The texts by their names, each with its option.
  private var texts: [String: (option: String, text: String)] = [:]

  private static let states = ["raw", "rawlp", "telnet", "off"]
  /// The lines that give a text a name, and the option of ser2net 4 for it.
  private static let named = [
    "banner": "banner", "signature": "signature", "openstr": "openstr", "closestr": "closestr",
    "closeon": "closeon", "tracefile": "trace", "rs485conf": "rs485", "device": "device",
  ]
  /// The lines without a counterpart.
  private static let unknown = ["rotator", "led", "controlport"]

  /// Whether one of the lines, of which none is a comment, is of such a file. In YAML, such a line
  /// is indented, or has a blank after the colon.
  static func isOne(_ lines: [Substring]) -> Bool {
    lines.contains { line in
      guard line.first?.isWhitespace == false, let colon = line.firstIndex(of: ":"),
        line[colon...].dropFirst().first?.isWhitespace == false
      else { return false }
      let fields = fields(line)
      let keyword = fields[0].lowercased()
      return fields.count > 3 && states.contains(fields[1].lowercased())
        || fields.count > 2 && (named[keyword] != nil || keyword == "default")
        || unknown.contains(keyword)
    }
  }

  /// Parses a file; nil if it is of ser2net 4.
  init?(parsing file: [UInt8]) {
    var lines: [(number: Int, text: Substring)] = []
    var continued = ""
    let text = String(decoding: file, as: UTF8.self)
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      if continued.isEmpty, line.trimmed.isEmpty || line.trimmed.hasPrefix("#") { continue }
      // A backslash at the end of a line joins the next one.
      continued += line.hasSuffix("\\") ? line.dropLast() : line
      if line.hasSuffix("\\") { continue }
      lines.append((index + 1, Substring(continued)))
      continued = ""
    }
    guard Self.isOne(lines.map(\.text)) else { return nil }
    for (_, line) in lines { readName(line) }
    for (number, line) in lines { read(line, at: number) }
  }

  /// The parts between colons, at most 5: the last is the rest.
  private static func fields(_ line: Substring) -> [Substring] {
    line.split(separator: ":", maxSplits: 4, omittingEmptySubsequences: false).map(\.trimmed)
  }

  private mutating func readName(_ line: Substring) {
    let fields = line.split(separator: ":", maxSplits: 2).map(\.trimmed)
    guard fields.count > 2, let option = Self.named[fields[0].lowercased()] else { return }
    texts[String(fields[1])] = (option, String(fields[2]))
  }

  private mutating func read(_ line: Substring, at number: Int) {
    let fields = Self.fields(line)
    let keyword = fields[0].lowercased()
    if fields.count > 3, Self.states.contains(fields[1].lowercased()) {
      connections.append(connection(fields, at: number))
    } else if keyword == "default", fields.count > 2 {
      let name = fields[1].lowercased().replacing(text: "_", with: "-")
      let isUsed = defaults.set(
        name == "remctl" ? "rfc2217" : name, of: nil, to: String(fields[2]))
      if !isUsed { others.append((String(line), Ser2netDefaults.reason(name))) }
    } else if Self.unknown.contains(keyword) {
      others.append((String(line), Ser2netFile.reason(without: keyword)))
    } else if Self.named[keyword] == nil {
      others.append((String(line), "expected PORT:STATE:TIMEOUT:DEVICE:OPTIONS"))
    }
  }

  // MARK: Connections

  private func connection(_ fields: [Substring], at number: Int) -> Ser2netFile.Connection {
    let place = YAMLPlace(line: number, column: 1)
    let state = fields[1].lowercased()
    var device = String(fields[3])
    if let named = texts[device], named.option == "device" { device = named.text }
    var line: [String] = state == "rawlp" ? ["wronly"] : []
    var options: [(key: String, value: String)] = []
    var isFull = false
    let port = fields[0].split(separator: ",").last.map(String.init) ?? ""
    let words = Ser2netGensio.words(of: fields.count > 4 ? fields[4] : "")
    for word in words {
      let isOff = word.hasPrefix("-")
      let parts = word.dropFirst(isOff ? 1 : 0).split(separator: "=", maxSplits: 1)
      let key = (parts.first ?? "").lowercased().replacing(text: "_", with: "-")
      let value = parts.count > 1 ? String(parts[1]) : isOff ? "false" : "true"
      if let named = texts[word], Ser2netOption.reason(named.option) != nil {
        options.append((named.option, named.text))
        continue
      }
      switch key {
      case "remctl": isFull = !isOff
      case "xonxoff", "rtscts", "local", "hangup-when-done", "nobreak":
        line.append("\(key)=\(value)")
      case "rs485": line.append("rs485=\(texts[value]?.text ?? value)")
      case "tr", "tw", "tb":
        // In ser2net 4, it is the whole accepter.
        let file = (texts[value]?.text ?? value).replacing(text: "\\p", with: port)
        options.append((Self.trace(key), file))
      case "hexdump", "timestamp": options.append(("trace-\(key)", value))
      case _ where ["tr-", "tw-", "tb-"].contains(String(key.prefix(3))):
        options.append((Self.trace(String(key.prefix(2))) + key.dropFirst(2), value))
      case "max-connections", "remaddr",
        _ where Ser2netOption.reason(key) != nil:
        options.append((key, value))
      default: line.append(word)
      }
    }
    func setting(_ key: String, _ value: String) -> Ser2netFile.Setting {
      Ser2netFile.Setting(key: key, value: Ser2netFile.Text(text: value), place: place)
    }
    let telnet = state == "telnet" ? isFull ? "telnet(rfc2217)," : "telnet," : ""
    let kind = fields[0].prefix { $0 != "," && $0 != "(" }
    let isPort = !Ser2netGensio.names.contains(kind.lowercased())
    let connector = ["serialdev", device] + line
    return Ser2netFile.Connection(
      name: "port-\(port)", place: place,
      accepter: Ser2netFile.Text(text: "\(telnet)\(isPort ? "tcp," : "")\(fields[0])"),
      connector: Ser2netFile.Text(
        text: device.hasPrefix("sol.") ? "ipmisol,\(device)" : connector.joined(separator: ",")),
      settings: options.map { setting($0.key, $0.value) } + [setting("timeout", String(fields[2]))]
        + (state == "off" ? [setting("enable", "off")] : []),
      optionCount: options.count, defaults: defaults)
  }

  private static func trace(_ key: String) -> String {
    ["tr": "trace-read", "tw": "trace-write"][key] ?? "trace-both"
  }
}
