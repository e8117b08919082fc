import TextTools

/// The settings of tio.
enum TioSetting {
  /// Every setting of tio 1 to 3.9: those of tio(1), "CONFIGURATION FILE", and older names that it
  /// accepts or has accepted.
  static let all: [ImportedSetting] =
    line + session + view + [log, rs485, socket] + withoutCounterpart + scripts

  /// The settings that use a key.
  static func about(_ key: String) -> ImportedSetting? { all.first { $0.keys.contains(key) } }

  // MARK: Building blocks

  private static func text(_ key: String, as name: String? = nil) -> ImportedSetting {
    ImportedSetting(key) { value, _ in .entry(name ?? key, .string(value), from: [key]) }
  }

  private static func number(_ key: String, as name: String) -> ImportedSetting {
    ImportedSetting(key) { value, _ in
      Int(value).map { .entry(name, .integer($0), from: [key]) }
        ?? .dropped(key, because: "expected a whole number")
    }
  }

  private static func flag(_ key: String, as name: String) -> ImportedSetting {
    ImportedSetting(key) { value, _ in
      ImportedValues.boolean(value).map { .entry(name, .boolean($0), from: [key]) }
        ?? notBoolean(key)
    }
  }

  private static func dropped(_ keys: String..., because reason: String) -> [ImportedSetting] {
    keys.map { key in ImportedSetting(key) { _, _ in .dropped(key, because: reason) } }
  }

  private static func notBoolean(_ key: String) -> SettingLine {
    .dropped(key, because: "expected true or false")
  }

  // MARK: The device and its line

  private static let line: [ImportedSetting] = [
    ImportedSetting(["device", "tty", "auto-connect"], target),
    number("baudrate", as: "baud"), number("databits", as: "data-bits"), text("parity"),
    number("stopbits", as: "stop-bits"), text("flow"),
    number("output-delay", as: "byte-delay"), number("output-line-delay", as: "line-delay"),
  ]

  private static func target(_ values: ImportedValues) -> [SettingLine] {
    let devices = ["device", "tty"].filter { values[$0] != nil }
    switch values["auto-connect"] {
    case let strategy? where ["new", "latest"].contains(strategy):
      return [.entry("target", .string(strategy), from: ["auto-connect"])]
        + devices.map { .dropped($0, because: "auto-connect = \(strategy) comes before it") }
    case "direct", nil: break
    case .some: return [.dropped("auto-connect", because: "expected new, latest or direct")]
    }
    let direct = [SettingLine.same("auto-connect", as: "a named device is opened directly")]
    guard let key = devices.first, let device = values[key] else { return direct }
    // tio 1 and 2 have %s, tio 3 has %m1 to %m99.
    if let place = device.firstIndex(of: "%"), let sign = device[place...].dropFirst().first,
      sign == "s" || sign == "m"
    {
      let part = "%\(sign)" + device[place...].dropFirst(2).prefix { sign == "m" && $0.isNumber }
      return [
        .dropped(
          key,
          because:
            "\(part) is a part of the typed name; name a device, and the profile by --profile")
      ] + direct
    }
    return [.entry("target", .string(device), from: devices)] + direct
  }

  // MARK: The session

  private static let session: [ImportedSetting] = [
    ImportedSetting(["no-reconnect", "no-autoconnect"]) { values in
      guard let key = ["no-reconnect", "no-autoconnect"].first(where: { values[$0] != nil })
      else { return [] }
      guard let isOff = values.isOn(key) else { return [notBoolean(key)] }
      // Otherwise tio also waits for a device that is missing at its start.
      return [
        .entry("no-reconnect", .boolean(isOff), from: [key]),
        .entry("wait", .boolean(!isOff), from: [key]),
      ]
    },
    flag("local-echo", as: "local-echo"),
    ImportedSetting("input-mode") { value, _ in
      switch value {
      case "normal": .entry("input-mode", .string("char"), from: ["input-mode"])
      case "line": .entry("input-mode", .string("line"), from: ["input-mode"])
      case "hex": .entry("input-mode", .string("hex"), from: ["input-mode"])
      default: .dropped("input-mode", because: "expected normal, line or hex")
      }
    },
    ImportedSetting("prefix-ctrl-key") { value, _ in
      let prefix = value == "none" ? value : "ctrl-\(value)"
      return .entry("prefix", .string(prefix), from: ["prefix-ctrl-key"])
    },
    flag("mute", as: "quiet"),
  ]

  // MARK: The view

  private static let view: [ImportedSetting] = [
    ImportedSetting(["output-mode", "hexadecimal", "hex-mode"], hex),
    number("timestamp-timeout", as: "hex-gap"),
    ImportedSetting(["timestamp", "timestamp-format"], timestamps),
    ImportedSetting("map", map),
  ]

  private static func hex(_ values: ImportedValues) -> [SettingLine] {
    if let mode = values["output-mode"] {
      let others = ["hexadecimal", "hex-mode"].map {
        SettingLine.dropped($0, because: "output-mode comes before it")
      }
      let isHex = mode.hasPrefix("hex")
      guard isHex || mode == "normal" else {
        return [.dropped("output-mode", because: "expected normal, hex or hexN")] + others
      }
      let remark = isHex && mode != "hex" ? "as many columns as fit the window" : nil
      return [.entry("hex", .boolean(isHex), from: ["output-mode"], remark: remark)] + others
    }
    guard let key = ["hexadecimal", "hex-mode"].first(where: { values[$0] != nil }) else {
      return []
    }
    guard let isHex = values.isOn(key) else { return [notBoolean(key)] }
    let remark =
      isHex ? "what is typed is sent as it is; 'serialterm send --hex' sends numbers" : nil
    return [.entry("hex", .boolean(isHex), from: [key], remark: remark)]
  }

  private static let timestampFormats = [
    "24hour": "time", "24hour-start": "start", "24hour-delta": "delta", "iso8601": "iso",
    "epoch": "epoch", "epoch-usec": "epoch:us",
  ]

  private static func timestamps(_ values: ImportedValues) -> [SettingLine] {
    let format = values["timestamp-format"].map { timestampFormats[$0] } ?? "time"
    guard let isOn = values.isOn("timestamp") else {
      let reason = format.map { "timestamp is not set; to switch it on: timestamps = \"\($0)\"" }
      return (values["timestamp"] == nil ? [] : [notBoolean("timestamp")])
        + [.dropped("timestamp-format", because: reason ?? "unknown format")]
    }
    guard isOn else {
      return [
        .entry("timestamps", .boolean(false), from: ["timestamp"]),
        .dropped("timestamp-format", because: "timestamp is off"),
      ]
    }
    guard let format else {
      return [
        .entry("timestamps", .string("time"), from: ["timestamp"]),
        .dropped("timestamp-format", because: "unknown format"),
      ]
    }
    return [
      .entry("timestamps", .string(format), from: ["timestamp", "timestamp-format"])
    ]
  }

  /// Converts a map. Most of tio's names are also serialterm's; the others are refused.
  private static func map(_ text: String, _ values: ImportedValues) -> SettingLine {
    var taken: [Substring] = []
    var refused: [String] = []
    var seen: Set<Substring> = []
    for name in text.split(separator: ",").map(\.trimmed)
    where !name.isEmpty && seen.insert(name).inserted {
      let list = (taken + [name]).joined(separator: ",")
      if name.uppercased() == "ONULBRK" {
        refused.append("ONULBRK: a NUL cannot become a break")
      } else if values.complaint(about: "map", .string(list)) == nil {
        taken.append(name)
      } else {
        let isKnown =
          !taken.isEmpty && values.complaint(about: "map", .string(String(name))) == nil
        refused.append("\(name): \(isKnown ? "contradicts another" : "unknown")")
      }
    }
    let remark = refused.isEmpty ? nil : "not imported: \(refused.joined(separator: ", "))"
    guard !taken.isEmpty else { return .dropped("map", because: refused.joined(separator: ", ")) }
    return .entry(
      "map", .string(taken.joined(separator: ",")), from: ["map"], remark: remark)
  }

  // MARK: The log

  private static let logDetails = ["log-file", "log-directory"]

  private static let log = ImportedSetting(["log"] + logDetails + ["log-append", "log-strip"]) {
    values in
    var lines: [SettingLine] = []
    switch (values["log"], values.isOn("log")) {
    case (_, true?): lines += logFile(values)
    case (_, false?):
      lines.append(.entry("log", .boolean(false), from: ["log"]))
      lines += logDetails.map { .dropped($0, because: "log is off; ctrl-t f asks for a file") }
    case (.some, nil): lines.append(notBoolean("log"))
    case (nil, nil):
      lines += logDetails.map { .dropped($0, because: "log is not set; ctrl-t f asks for a file") }
    }
    if values["log-append"] != nil {
      lines.append(
        values.isOn("log-append").map { isOn in
          isOn || !lines.contains { $0.isEntry("log-append") }
            ? .entry("log-append", .boolean(isOn), from: ["log-append"])
            : .dropped("log-append", because: "serialterm never overwrites a file")
        } ?? notBoolean("log-append"))
    }
    guard let strips = values.isOn("log-strip") else {
      return lines + (values["log-strip"] == nil ? [] : [notBoolean("log-strip")])
    }
    return lines + [
      .entry(
        "log-format", .string(strips ? "text" : "raw"), from: ["log-strip"],
        remark: strips ? "with the time of each line" : nil)
    ]
  }

  private static func logFile(_ values: ImportedValues) -> [SettingLine] {
    if let file = values["log-file"], !file.isEmpty {
      let entry = SettingLine.entry(
        "log", .string(escapingPercent(file)), from: ["log", "log-file"])
      let unused = SettingLine.dropped("log-directory", because: "log-file comes before it")
      if values.isOn("log-append") == true { return [entry, unused] }
      // tio empties the file at each start; serialterm refuses one that exists.
      return [
        entry, unused,
        .entry(
          "log-append", .boolean(true), from: [],
          remark: "tio overwrites the log-file at each start; serialterm never does"),
      ]
    }
    // tio's name of a log: tio_TARGET_2026-11-21T07:31:00.log
    let target = values.section == "default" ? "%t" : escapingPercent(values.section.fileName)
    let name = "tio_\(target)_%Y-%m-%dT%H:%M:%S.log"
    guard let folder = values["log-directory"] else {
      return [.entry("log", .string(name), from: ["log"])]
    }
    let path = escapingPercent(folder) + (folder.hasSuffix("/") ? "" : "/") + name
    return [.entry("log", .string(path), from: ["log", "log-directory"])]
  }

  /// In serialterm's log names `%` starts a conversion, such as `%Y` for the year.
  private static func escapingPercent(_ text: String) -> String {
    text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%%")
  }

  // MARK: RS-485

  private static let rs485 = ImportedSetting(["rs-485", "rs-485-config", "rs-385-config"]) {
    values in
    // tio 3.9 reads its setting only under the misspelt name.
    let keys = ["rs-485-config", "rs-385-config"].filter { values[$0] != nil }
    guard let isOn = values.isOn("rs-485"), isOn else {
      let isOff = values.isOn("rs-485") == false
      let main =
        values["rs-485"] == nil
        ? []
        : [isOff ? .entry("rs485", .boolean(false), from: ["rs-485"]) : notBoolean("rs-485")]
      return main + keys.map { .dropped($0, because: "rs-485 is \(isOff ? "off" : "not set")") }
    }
    let (items, refused) = rs485Items(keys.first.flatMap { values[$0] } ?? "")
    return [
      .entry(
        "rs485", .string(items.isEmpty ? "on" : items.joined(separator: ",")),
        from: ["rs-485"] + keys,
        remark: refused.isEmpty ? nil : "not imported: \(refused.joined(separator: ", "))")
    ]
  }

  private static func rs485Items(_ text: String) -> (items: [String], refused: [String]) {
    var items: [String] = []
    var refused: [String] = []
    var onSend: Bool?
    var afterSend: Bool?
    for item in text.split(separator: ",").map(\.trimmed) {
      let parts = item.split(separator: "=", maxSplits: 1)
      switch (parts.first, parts.dropFirst().first.flatMap { Int($0) }) {
      case ("RTS_ON_SEND", let level?): onSend = level != 0
      case ("RTS_AFTER_SEND", let level?): afterSend = level != 0
      case ("RTS_DELAY_BEFORE_SEND", let delay?): items.append("delay-before=\(delay)")
      case ("RTS_DELAY_AFTER_SEND", let delay?): items.append("delay-after=\(delay)")
      case ("RX_DURING_TX", nil): items.append("rx-during-tx=on")
      default: refused.append(String(item))
      }
    }
    // serialterm always inverts RTS after sending. The kernel corrects two equal levels to "on
    // while sending" (serial_core.c, uart_sanitize_serial_rs485).
    let isOn = onSend == afterSend ? true : onSend ?? afterSend.map { !$0 } ?? true
    if onSend != nil || afterSend != nil {
      items.insert("rts-on-send=\(isOn ? "on" : "off")", at: 0)
    }
    return (items, refused)
  }

  /// A socket at which clients see what the device sends, and write to it.
  private static let socket = ImportedSetting(["socket"]) { values in
    guard let socket = values["socket"] else { return [] }
    let parts = socket.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let place = parts.count == 2 ? String(parts[1]) : ""
    // tio takes this port for 0, and for none.
    let port = Int(place).flatMap { $0 == 0 ? nil : $0 } ?? 3_333
    // An address leads to one port.
    let warning =
      values.section == "default" ? "'connect' takes one device while [default] has it" : nil
    let entry: SettingLine
    switch parts[0] {
    case "unix" where !place.isEmpty:
      entry = .entry("unix", .string("\(place),raw"), from: ["socket"], remark: warning)
    case "inet", "inet6":
      guard (1...65_535).contains(port) else {
        return [.dropped("socket", because: "expected a port from 1 to 65535")]
      }
      let (own, all) = parts[0] == "inet" ? ("", "0.0.0.0:") : ("[::1]:", "[::]:")
      entry = .entry(
        "listen", .string("\(own)\(port),raw"), from: ["socket"],
        remark: (["for this computer; as in tio, for all: \(all)\(port),raw"]
          + [warning].compactMap(\.self)).joined(separator: "; "))
    default:
      return [.dropped("socket", because: "expected unix:PATH, inet:PORT or inet6:PORT")]
    }
    return [entry, .entry("writers", .string("all"), from: ["socket"])]
  }

  // MARK: Settings without a counterpart

  private static let withoutCounterpart: [ImportedSetting] =
    dropped("pattern", because: "a profile is chosen by its name, or by 'match' for its device")
    + dropped(
      "exclude-devices", "exclude-drivers", "exclude-tids",
      because: "no device is excluded from the choice; name one by TARGET or 'match'")
    + dropped(
      "line-pulse-duration", "dtr-pulse-duration",
      because: "ctrl-t p pulses for 100 ms; a script for 'serialterm run' can use 'pulse dtr 200ms'"
    )
    + dropped(
      "color", because: "the colour of messages is fixed; the variable NO_COLOR switches it off")
    + dropped("alert", because: "there is no sound or flash when a device connects")

  private static let scripts: [ImportedSetting] =
    dropped(
      "script", "script-file", "script-run",
      because: "Lua does not run here; see 'on-open' for the lines, 'serialterm run' for dialogues")
    + dropped(
      "exec", because: "a configuration never runs a command; see 'serialterm connect --exec'")
    + dropped(
      "response-wait", "response-timeout",
      because: "see 'serialterm send TARGET TEXT --expect REGEX --timeout S'")
}

extension SettingLine {
  fileprivate func isEntry(_ name: String) -> Bool {
    if case .entry(name, _, _, _) = self { true } else { false }
  }
}

extension String {
  /// The text in a form for file names.
  fileprivate var fileName: String { String(map { $0 == "/" ? "-" : $0 }) }
}
