/// The settings of a serial port in a connector of ser2net: `9600n81,local,rtscts`.
struct Ser2netLine {
  private(set) var speed = "9600"
  private(set) var parity = "none"
  private(set) var dataBits = 8
  private(set) var stopBits = 1
  private(set) var flags: [String: Bool] = [:]
  private(set) var rs485: String?
  /// The words that set nothing here, with the reason.
  private(set) var dropped: [(word: String, reason: String)] = []

  /// The settings that `default` can set.
  static let defaultNames = ["speed", "rs485", "nobreak"] + booleans

  private static let booleans = ["xonxoff", "rtscts", "local", "hangup-when-done", "dtr", "rts"]

  private static let parities: [Character: String] = [
    "n": "none", "e": "even", "o": "odd", "m": "mark", "s": "space",
  ]

  /// Parses the words after the device.
  init(_ words: [String], defaults: Ser2netDefaults) {
    for name in Self.defaultNames {
      guard let value = defaults[name] else { continue }
      // Only the value of a default can be a bare speed: 115200n81.
      if name == "speed" { read("speed=\(value)") } else { read("\(name)=\(value)") }
    }
    for word in words { read(word) }
  }

  private mutating func read(_ word: String) {
    let isNamed = word.hasPrefix("speed=")
    let speed = isNamed ? String(word.dropFirst(6)) : word
    // Some words begin with a digit, 1STOPBIT, but no rate is below 10.
    if isNamed || (Int(speed.prefix { $0.isASCII && $0.isNumber }) ?? 0) >= 10 {
      if !readSpeed(speed) { dropped.append((word, "expected a speed such as 9600n81")) }
      return
    }
    for name in Self.booleans + ["nobreak"] {
      if let value = Ser2netGensio.flag(word, name) {
        flags[name] = value
        return
      }
    }
    if word.hasPrefix("rs485=") {
      rs485 = String(word.dropFirst(6))
      return
    }
    readOldWord(word)
  }

  /// Reads the words of ser2net 3, which gensio still accepts in either case.
  private mutating func readOldWord(_ word: String) {
    switch word.uppercased() {
    case "1STOPBIT": stopBits = 1
    case "2STOPBITS": stopBits = 2
    case "5DATABITS": dataBits = 5
    case "6DATABITS": dataBits = 6
    case "7DATABITS": dataBits = 7
    case "8DATABITS": dataBits = 8
    case "NONE", "EVEN", "ODD", "MARK", "SPACE": parity = word.lowercased()
    case "-XONXOFF": flags["xonxoff"] = false
    case "-RTSCTS": flags["rtscts"] = false
    case "-LOCAL": flags["local"] = false
    case "HANGUP_WHEN_DONE": flags["hangup-when-done"] = true
    case "-HANGUP_WHEN_DONE": flags["hangup-when-done"] = false
    case "-NOBREAK": flags["nobreak"] = false
    case "WRONLY", "WRONLY=TRUE", "RDONLY", "RDONLY=TRUE":
      dropped.append((word, "see --read-only, and serve --writers none"))
    case "CUSTSPEED", "CUSTSPEED=TRUE", "CUSTSPEED=FALSE":
      dropped.append((word, "every speed that the driver accepts is set"))
    default: dropped.append((word, "not a setting of a serial port of ser2net"))
    }
  }

  /// Reads `9600`, `9600n`, `9600n8` or `9600n81`.
  private mutating func readSpeed(_ text: String) -> Bool {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    var rest = text[digits.endIndex...]
    guard Int(digits) ?? 0 >= 10 else { return false }
    var (parity, dataBits, stopBits) = (parity, dataBits, stopBits)
    if let letter = rest.popFirst() {
      guard let name = Self.parities[Character(letter.lowercased())] else { return false }
      parity = name
    }
    if let digit = rest.popFirst() {
      guard let number = Int(String(digit)), (5...8).contains(number) else { return false }
      dataBits = number
    }
    if let digit = rest.popFirst() {
      guard let number = Int(String(digit)), (1...2).contains(number) else { return false }
      stopBits = number
    }
    guard rest.isEmpty else { return false }
    (speed, self.parity, self.dataBits, self.stopBits) = (
      String(digits), parity, dataBits, stopBits
    )
    return true
  }

  // MARK: The counterparts

  /// An entry of a profile, with a remark.
  struct Line: Hashable {
    let key: String
    let value: Value
    var remark: String?
  }

  /// The entries of the profile.
  var entries: [Line] {
    var lines = [Line(key: "baud", value: Int(speed).map(Value.integer) ?? .string(speed))]
    if dataBits != 8 { lines.append(Line(key: "data-bits", value: .integer(dataBits))) }
    if parity != "none" { lines.append(Line(key: "parity", value: .string(parity))) }
    if stopBits != 1 { lines.append(Line(key: "stop-bits", value: .integer(stopBits))) }
    switch (flags["rtscts"], flags["xonxoff"]) {
    case (true, true):
      lines.append(
        Line(key: "flow", value: .string("hard"), remark: "not xonxoff at the same time"))
    case (true, _): lines.append(Line(key: "flow", value: .string("hard")))
    case (_, true): lines.append(Line(key: "flow", value: .string("soft")))
    default: break
    }
    if let hangup = flags["hangup-when-done"] {
      lines.append(Line(key: "hangup", value: .boolean(hangup)))
    }
    for name in ["dtr", "rts"] {
      if let value = flags[name] {
        lines.append(Line(key: name, value: .string(value ? "on" : "off")))
      }
    }
    // A port opens without a change of the break; gensio clears it, unless it has this.
    if flags["nobreak"] == false {
      lines.append(Line(key: "on-open", value: .string("break=off")))
    }
    if let rs485, rs485 != "off" { lines.append(Self.rs485(rs485)) }
    return lines
  }

  /// Converts `rs485=DELAY-BEFORE:DELAY-AFTER[:CONF]…`.
  private static func rs485(_ text: String) -> Line {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    var items = zip(["delay-before", "delay-after"], parts).map { "\($0)=\($1)" }
    let names = parts.dropFirst(2).map { $0.lowercased() }
    // RTS is always inverted after sending; only one of the two states is needed.
    if names.contains("rts_on_send") != names.contains("rts_after_send") {
      items.append("rts-on-send=\(names.contains("rts_on_send") ? "on" : "off")")
    }
    if names.contains("rx_during_tx") { items.append("rx-during-tx=on") }
    let others = names.filter { !["rts_on_send", "rts_after_send", "rx_during_tx"].contains($0) }
    return Line(
      key: "rs485", value: .string(items.joined(separator: ",")),
      remark: others.isEmpty ? nil : "not imported: \(others.joined(separator: ", "))")
  }
}
