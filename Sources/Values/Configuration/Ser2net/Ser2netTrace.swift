/// The traces of a connection of ser2net, as logs.
struct Ser2netTrace {
  /// The keys of ser2net that the logs come from.
  private(set) var usedKeys: Set<String> = []
  /// The names of the logs.
  private(set) var files: [String] = []
  /// Whether a log has what is sent, too.
  private(set) var hasSent = false
  /// The keys of files that cannot be logs, with the reason.
  private(set) var refused: [String: String] = [:]

  /// The values that a name can contain.
  struct Context {
    let name: String
    let accepter: String
    let connector: String
    let speed: String
  }

  /// - Parameters:
  ///   - options: the options of the connection, the last value of each.
  ///   - format: the name of the format that the name of a log selects.
  init(
    _ options: [String: Ser2netFile.Text], _ context: Context, format: (String) -> String
  ) {
    func isOn(_ key: String) -> Bool {
      options[key].flatMap { Ser2netGensio.boolean($0.text.isEmpty ? "true" : $0.text) } ?? false
    }
    for kind in ["read", "write", "both"] {
      let key = "trace-\(kind)"
      guard let value = options[key], !value.text.isEmpty else { continue }
      let details = ["trace-hexdump", "trace-timestamp", "\(key)-hexdump", "\(key)-timestamp"]
      guard !value.needsFile else {
        refused[key] = "it contains the contents of a file, which is not read here"
        continue
      }
      guard let file = Self.file(value.text, context) else {
        refused[key] = "a part of its name is only known to ser2net"
        continue
      }
      // Raw logs have neither times nor what is sent.
      let isRaw = kind == "read" && !details.contains(where: isOn)
      // The name selects the format.
      if isRaw {
        files.append(format(file) == "raw" ? file : "\(file).raw")
      } else {
        files.append(format(file) == "jsonl" ? file : "\(file).jsonl")
      }
      hasSent = hasSent || kind != "read"
      usedKeys.formUnion([key] + details.filter { options[$0] != nil })
    }
  }

  /// Converts the name of a trace file. See ser2net.yaml(5), "SPECIAL STRING HANDLING".
  ///
  /// - Returns: nil if a part has no counterpart.
  private static func file(_ text: String, _ context: Context) -> String? {
    var result = ""
    var rest = Substring(text)
    while let character = rest.popFirst() {
      if character == "%" {
        result += "%%"
      } else if character != "\\" {
        result.append(character)
      } else if let escape = rest.popFirst() {
        guard let part = part(escape, context) else { return nil }
        result += part
      }
    }
    // serialterm refuses it; the reason would not be clear.
    return result.isEmpty || result.unicodeScalars.contains(where: \.isHidden) ? nil : result
  }

  private static let times: [Character: String] = [
    "Y": "%Y", "y": "%j", "M": "%b", "m": "%m", "A": "%a", "D": "%d", "H": "%H", "h": "%I",
    "i": "%M", "S": "%S", "s": "%S", "q": "%P", "P": "%p", "T": "%H:%M:%S", "e": "%s",
  ]

  private static func part(_ escape: Character, _ context: Context) -> String? {
    func literal(_ text: String) -> String? {
      // ser2net takes the last part of a path.
      let name = text.split(separator: "/").last.map(String.init) ?? ""
      return name.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
    }
    if let time = times[escape] { return time }
    switch escape {
    case "d": return literal(context.connector)
    case "o", "N": return literal(context.name)
    case "p": return context.accepter.contains("/") ? nil : literal(context.accepter)
    case "B": return context.speed
    case "\\", "?", "'", "\"": return String(escape)
    // Control characters, octal and hexadecimal numbers, microseconds, the client's address.
    case "a", "b", "f", "n", "r", "t", "v", "x", "U", "I": return nil
    default: return escape.isNumber ? nil : String(escape)
    }
  }
}
