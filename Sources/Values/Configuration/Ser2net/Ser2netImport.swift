import TextTools

/// A configuration of ser2net, converted to one of serialterm: a profile for each connection.
public struct Ser2netImport: ProfileImport {
  public let text: String
  public let droppedCount: Int
  /// The number of profiles.
  public let profileCount: Int

  /// Converts a configuration.
  ///
  /// - Parameters:
  ///   - file: the bytes of ser2net.yaml, or of ser2net.conf as of ser2net 3.
  ///   - logFormat: the name of the format that the name of a log selects, such as `raw`.
  ///   - complaint: checks each entry. An entry that it refuses becomes a comment.
  /// - Throws: ``YAMLError`` for the first error in the file.
  public init(
    _ file: [UInt8], logFormat: (String) -> String, complaint: @escaping Check
  ) throws(YAMLError) {
    let connections: [Ser2netFile.Connection]
    let unknown: [(what: String, reason: String)]
    if let old = Ser2netOldFile(parsing: file) {
      (connections, unknown) = (old.connections, old.others)
    } else {
      let file = try Ser2netFile(parsing: file)
      (connections, unknown) = (file.connections, file.others)
    }
    var names = ProfileNames(of: "ser2net")
    /// The first profile with a device.
    var owners: [String: String] = [:]
    var dropped = 0
    var tables: [String] = []
    let others = unknown.map { SettingLine.dropped($0.what, because: $0.reason) }
    if !others.isEmpty {
      dropped += others.count
      tables.append(others.map { "\($0.text)\n" }.joined())
    }
    for connection in connections {
      let (name, heading) = names.heading(for: connection.name)
      var profile = Ser2netProfile(connection, logFormat: logFormat, complaint: complaint)
      if let target = profile.target, profile.isSerial {
        if let owner = owners[target] {
          profile.note("\(owner) has the same device: one of them can have it open at a time")
        } else {
          owners[target] = name
        }
      }
      dropped += profile.lines.count(where: \.isDropped)
      let lines = heading + profile.lines.map(\.text)
      tables.append(lines.map { "\($0)\n" }.joined())
    }
    text = tables.joined(separator: "\n")
    droppedCount = dropped
    profileCount = connections.count
  }
}

extension SettingLine {
  /// The line in a configuration. Its key is the whole setting of ser2net.
  fileprivate var text: String {
    switch self {
    case .entry(let key, let value, _, let remark):
      "\(key) = \(value)" + (remark.map { "  # \($0.shortInComment)" } ?? "")
    case .same(let what, let reason): "# \(what.shortInComment): \(reason.shortInComment)"
    case .dropped(let what, let reason):
      "# not imported: \(what.shortInComment) (\(reason.shortInComment))"
    }
  }
}

extension String {
  /// The text for use in a comment, at most 300 characters of it.
  fileprivate var shortInComment: String {
    let text = self.prefix(300).inComment
    return utf8.count > 300 && count > 300 ? text + "…" : text
  }
}

/// The lines of a connection's profile.
private struct Ser2netProfile {
  private(set) var lines: [SettingLine] = []
  /// The text of the target; nil without one.
  private(set) var target: String?
  /// Whether the target is a serial port of this computer.
  private(set) var isSerial = false

  private let connection: Ser2netFile.Connection
  private let complaint: ProfileImport.Check
  /// The last value of each option.
  private let options: [String: Ser2netFile.Text]

  init(
    _ connection: Ser2netFile.Connection, logFormat: (String) -> String,
    complaint: @escaping ProfileImport.Check
  ) {
    self.connection = connection
    self.complaint = complaint
    options = Dictionary(
      connection.settings.prefix(connection.optionCount).map { ($0.key, $0.value) }
    ) { $1 }
    let speed = convertConnector()
    convertAccepter()
    convertWriters()
    convertAllowed()
    let trace = Ser2netTrace(
      options,
      Ser2netTrace.Context(
        name: connection.name, accepter: connection.accepter.text,
        connector: connection.connector.text, speed: speed), format: logFormat)
    convert(trace)
    for (index, setting) in connection.settings.enumerated() {
      convert(setting, isOption: index < connection.optionCount, trace)
    }
  }

  /// Adds a remark above the other lines.
  mutating func note(_ text: String) { lines.insert(.same("note", as: text), at: 0) }

  /// Adds an entry, or a comment with the reason why it is refused.
  ///
  /// - Returns: whether it was added.
  @discardableResult
  private mutating func add(_ key: String, _ value: Value, _ remark: String? = nil) -> Bool {
    if let reason = complaint(key, value) {
      lines.append(.dropped("\(key) = \(value)", because: reason))
      return false
    }
    lines.append(.entry(key, value, from: [], remark: remark))
    return true
  }

  private mutating func drop(_ key: String, _ value: String, because reason: String) {
    lines.append(.dropped(value.isEmpty ? key : "\(key) = \(value)", because: reason))
  }

  private static let fileReason = "it contains the contents of a file, which is not read here"

  // MARK: The device

  /// - Returns: the line settings as ser2net writes them; empty without any.
  private mutating func convertConnector() -> String {
    let text = connection.connector.text
    guard !connection.connector.needsFile else {
      drop("connector", text, because: Self.fileReason)
      return ""
    }
    return convertConnector(Substring(text))
  }

  /// - Parameter text: the connector, or what is below one that changes nothing here.
  private mutating func convertConnector(_ text: Substring) -> String {
    guard let (gensio, rest) = Ser2netGensio.first(of: text) else {
      drop("connector", String(text), because: "a bracket is not closed")
      return ""
    }
    switch gensio.name {
    case "keepopen":
      lines.append(.same("keepopen", as: "a device that is lost is opened again when it is back"))
      dropArguments(of: gensio, besides: [])
      return convertConnector(rest)
    case "serialdev", "sdev": return convertSerial(rest, gensio)
    case "echo": setTarget("loopback:", gensio, "sends back what it gets")
    case "tcp": setTarget(Ser2netAddress(rest).map { "tcp://\($0.text)" }, gensio)
    case "unix": setTarget(rest.isEmpty ? nil : "unix:\(rest)", gensio)
    case "telnet":
      let next = Ser2netGensio.first(of: rest)
      guard let next, next.gensio.name == "tcp" else {
        drop("connector", String(text), because: "telnet is a kind of target over tcp alone")
        break
      }
      let form = gensio.flag("rfc2217") == true ? "rfc2217" : "telnet"
      setTarget(Ser2netAddress(next.rest).map { "\(form)://\($0.text)" }, gensio)
    default:
      drop("connector", String(text), because: "no target is of the kind '\(gensio.name)'")
    }
    return ""
  }

  private mutating func setTarget(
    _ text: String?, _ gensio: Ser2netGensio, _ remark: String? = nil
  ) {
    guard let text else {
      return drop("connector", connection.connector.text, because: "expected an address")
    }
    if add("target", .string(text), remark) { target = text }
    dropArguments(of: gensio, besides: ["rfc2217"])
  }

  private mutating func convertSerial(_ text: Substring, _ gensio: Ser2netGensio) -> String {
    let device = text.prefix { $0 != "," }
    let words = Ser2netGensio.words(of: text[device.endIndex...].dropFirst())
    let path = String(device.trimmed)
    let line = Ser2netLine(words, defaults: connection.defaults)
    if add("target", .string(path)) { (target, isSerial) = (path, true) }
    for entry in line.entries { add(entry.key, entry.value, entry.remark) }
    if line.flags["local"] == true {
      lines.append(.same("local", as: "the port is usable without a carrier"))
    }
    if line.flags["nobreak"] == true {
      lines.append(.same("nobreak", as: "a break that another program has left on stays"))
    }
    for (word, reason) in line.dropped { drop(word, "", because: reason) }
    dropArguments(of: gensio, besides: ["uucplock", "flock", "nouucplock"])
    let parity = line.parity.prefix(1).uppercased()
    return "\(line.speed)\(parity)\(line.dataBits)\(line.stopBits)"
  }

  private mutating func dropArguments(of gensio: Ser2netGensio, besides known: [String]) {
    for word in gensio.arguments
    where !known.contains(word) && !known.contains(String(word.prefix { $0 != "=" })) {
      drop("\(gensio.name)(\(word))", "", because: "it has no counterpart")
    }
  }

  // MARK: The clients

  private mutating func convertAccepter() {
    let text = connection.accepter.text
    guard !connection.accepter.needsFile else {
      return drop("accepter", text, because: Self.fileReason)
    }
    var spoken = "raw"
    var rest = Substring(text)
    var filters: [Ser2netGensio] = []
    while true {
      guard let (gensio, next) = Ser2netGensio.first(of: rest) else {
        return drop("accepter", text, because: "a bracket is not closed")
      }
      switch gensio.name {
      case "telnet" where spoken == "raw":
        let isFull =
          gensio.flag("rfc2217")
          ?? (connection.defaults["rfc2217"].map { value in
            Ser2netGensio.boolean(value) ?? false
          } ?? false)
        spoken = isFull ? "rfc2217" : "telnet"
        filters.append(gensio)
        rest = next
        continue
      case "tcp": convertPort(next, gensio, spoken)
      case "unix": convertSocket(next, gensio, spoken)
      case "ssl", "certauth", "mux":
        drop(
          "accepter", text,
          because: "there is no encryption and no password; see ssh://, and stunnel in network.md")
      case let name where Ser2netAddress(rest) != nil && !Ser2netGensio.names.contains(name):
        // Without a kind of gensio, it is a port of TCP.
        convertPort(rest, Ser2netGensio(name: "tcp", arguments: []), spoken)
      default:
        drop("accepter", text, because: "clients cannot connect through '\(gensio.name)'")
      }
      break
    }
    for filter in filters { dropArguments(of: filter, besides: ["rfc2217", "mode=server"]) }
  }

  private mutating func convertPort(_ text: Substring, _ gensio: Ser2netGensio, _ spoken: String) {
    guard let address = Ser2netAddress(text) else {
      return drop("accepter", connection.accepter.text, because: "expected [HOST,]PORT")
    }
    // Both names of this computer; serialterm listens at one address only.
    let isLocal = address.host == "localhost"
    let place = isLocal ? address.port : address.text
    let remark =
      isLocal ? "127.0.0.1" : address.host == nil ? "every address of this computer" : nil
    listen("listen", "\(place),\(spoken)", remark)
    dropArguments(of: gensio, besides: [])
  }

  private mutating func convertSocket(_ path: Substring, _ gensio: Ser2netGensio, _ spoken: String)
  {
    listen("unix", "\(path.trimmed),\(spoken)", nil)
    dropArguments(of: gensio, besides: [])
  }

  /// Adds an address, unless the connection must not be served.
  private mutating func listen(_ key: String, _ place: String, _ remark: String?) {
    let isOff = connection.settings.contains { setting in
      setting.key == "enable" && setting.value.text.lowercased() != "on"
    }
    let entry = "\(key) = \(Value.string(place))"
    if isOff {
      lines.append(.dropped(entry, because: "enable = off"))
    } else if target == nil {
      lines.append(.dropped(entry, because: "without a target it would serve another device"))
    } else {
      add(key, .string(place), remark)
    }
  }

  private mutating func convertWriters() {
    if let value = options["no-acc-to-con"], isOn(value) {
      add("writers", .string("none"))
      return
    }
    guard let (text, isDefault) = maximum else { return }
    guard let count = Int(text), count > 1 else {
      if !isDefault { lines.append(.same("max-connections = \(text)", as: "one client writes")) }
      return
    }
    add("writers", .string("all"), "max-connections = \(text); here by whole lines")
  }

  private var maximum: (text: String, isDefault: Bool)? {
    if let own = options["max-connections"]?.text { return (own, false) }
    return connection.defaults["max-connections"].map { ($0, true) }
  }

  private func isOn(_ value: Ser2netFile.Text) -> Bool {
    // An option without a value is on.
    value.text.isEmpty || Ser2netGensio.boolean(value.text) == true
  }

  /// Converts the addresses of `remaddr`.
  private mutating func convertAllowed() {
    var ranges: [Value] = []
    for setting in connection.settings.prefix(connection.optionCount)
    where setting.key == "remaddr" && !setting.value.needsFile {
      for item in setting.value.text.split(separator: ";") {
        let text = String(item.trimmed)
        let parts = text.split(separator: ",").map(String.init)
        if text.hasPrefix("!") {
          drop("remaddr", text, because: "serve waits for clients, and connects to none")
        } else if parts.count == 2, parts[1] == "0" {
          let range = Value.string(parts[0])
          if let reason = complaint("allow", .array([range])) {
            drop("remaddr", text, because: reason)
          } else {
            ranges.append(range)
          }
        } else {
          drop("remaddr", text, because: "the port of a client is not checked; expected ADDRESS,0")
        }
      }
    }
    if !ranges.isEmpty { add("allow", .array(ranges)) }
  }

  // MARK: The other options

  private mutating func convert(_ trace: Ser2netTrace) {
    guard let first = trace.files.first else { return }
    let value: Value =
      trace.files.count == 1 ? .string(first) : .array(trace.files.map { .string($0) })
    guard add("log", value) else { return }
    add("log-append", .boolean(true))
    if trace.hasSent { add("log-sent", .boolean(true), "JSON lines; a raw log has no bytes sent") }
  }

  private mutating func convert(
    _ setting: Ser2netFile.Setting, isOption: Bool, _ trace: Ser2netTrace
  ) {
    let (key, value) = (setting.key, setting.value.text)
    if isOption {
      switch key {
      case "max-connections": return
      case "remaddr" where !setting.value.needsFile: return
      case "no-acc-to-con" where isOn(setting.value): return
      case _ where trace.usedKeys.contains(key): return
      default: break
      }
      if let reason = trace.refused[key] { return drop(key, value, because: reason) }
    } else if key == "enable" {
      if !["on", "off"].contains(value.lowercased()) {
        drop(key, value, because: "expected on or off")
      }
      return
    } else if key != "timeout" {
      let isKnown = Ser2netOption.reason(key) != nil || key.hasPrefix("trace-") || key == "remaddr"
      return drop(
        key, value, because: isKnown ? "it belongs below 'options:'" : "not a setting of ser2net 4")
    }
    if let same = Ser2netOption.sameBehaviour(key, value) {
      return lines.append(.same("\(key) = \(value)", as: same))
    }
    let reason = setting.value.needsFile ? Self.fileReason : nil
    drop(key, value, because: reason ?? Ser2netOption.reason(key) ?? "not an option of ser2net 4")
  }
}
