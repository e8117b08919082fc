import TextTools

/// The settings of minicom 2.8, as it writes them into `minirc.*`. It reads `Yes` only as that.
enum MinicomSetting {
  /// The setting that uses a key.
  static func about(_ key: String) -> ImportedSetting? {
    all.first { $0.keys.contains(key) } ?? group(of: key)
  }

  static let all: [ImportedSetting] =
    line + view + [flow, rs485]
    + dropped(
      "minit",
      because: "nothing is sent to the device by itself; see 'snippets', and 'serialterm run'")
    + dropped(
      "logfname", because: "minicom's log of its calls; see 'log' for what the device sends")
    + dropped(
      "updir", "downdir",
      because: "a file is named by its path, and received where serialterm was started")
    + dropped(
      "scriptdir", "scriptprog",
      because: "runscript does not run here; see 'serialterm run' for dialogues")
    + dropped("convf", "convcap", "remotecharset", because: "see 'encoding'")
    + dropped(
      "hasdcd", "mdropdtr", because: "no modem is hung up; see 'hangup' for DTR after the end")
    + dropped("histlines", because: "the terminal keeps what has scrolled away")

  // MARK: Groups of settings without a counterpart

  /// The settings whose keys begin alike: programs for transfers, macros, dialling, colours.
  private static func group(of key: String) -> ImportedSetting? {
    let groups = [
      ("pmac", "see 'snippets'"), ("pname", programs), ("pprog", programs), ("kerm", programs),
      ("md", modem), ("mr", modem), ("mc", modem), ("mn", modem), ("mh", modem), ("mauto", modem),
      ("mf", colours), ("mb", colours), ("tf", colours), ("tb", colours), ("sf", colours),
      ("sb", colours),
      ("log", "minicom's log of its calls; see 'log' for what the device sends"),
    ]
    let others = [
      "zauto", "fselw", "askdndir", "multiline", "statusline", "sound", "colusage", "macenab",
      "changed",
      "showspeed", "lock", "callin", "callout", "answerback", "kermit", "disabletime",
      "statlinefmt",
    ]
    let reason =
      groups.first { key.hasPrefix($0.0) }?.1
      ?? (others.contains(key) ? "it has no counterpart" : nil)
    return reason.map { reason in dropped(key, because: reason)[0] }
  }

  private static let programs =
    "XMODEM, YMODEM, ZMODEM and Kermit are built in; see 'serialterm send'"
  private static let modem = "no modem dials here; see 'snippets', and 'serialterm run'"
  private static let colours = "the colours are those of the terminal"

  // MARK: Building blocks

  private static func dropped(_ keys: String..., because reason: String) -> [ImportedSetting] {
    keys.map { key in
      ImportedSetting(key) { value, _ in
        value.isEmpty
          ? .same(key, as: "it has no value") : .dropped(key, because: reason)
      }
    }
  }

  private static func isOn(_ value: String?) -> Bool { value == "Yes" }

  private static func flag(_ key: String, as name: String, _ on: Value) -> ImportedSetting {
    ImportedSetting(key) { value, _ in
      isOn(value) ? .entry(name, on, from: [key]) : .same(key, as: "the same here")
    }
  }

  private static func number(_ key: String, as name: String) -> ImportedSetting {
    ImportedSetting(key) { value, _ in
      Int(value).map { .entry(name, .integer($0), from: [key]) }
        ?? .dropped(key, because: "expected a whole number")
    }
  }

  // MARK: The line

  private static let line: [ImportedSetting] = [
    ImportedSetting("port") { value, _ in
      // Several are tried in their order.
      let ports = value.split { " ,;".contains($0) }.map(String.init)
      guard let first = ports.first else { return .same("port", as: "name a TARGET") }
      let socket = ["unix#", "unix:"].first { first.hasPrefix($0) }
      let target = socket.map { "unix:" + first.dropFirst($0.count) } ?? first
      return .entry(
        "target", .string(target), from: ["port"],
        remark: ports.count > 1 ? "not imported: \(ports.dropFirst().joined(separator: ", "))" : nil
      )
    },
    number("baudrate", as: "baud"),
    number("bits", as: "data-bits"),
    ImportedSetting("parity") { value, _ in
      let names = ["N": "none", "E": "even", "O": "odd", "M": "mark", "S": "space"]
      return names[String(value.prefix(1)).uppercased()].map {
        .entry("parity", .string($0), from: ["parity"])
      } ?? .dropped("parity", because: "expected N, E, O, M or S")
    },
    number("stopbits", as: "stop-bits"),
  ]

  /// Flow control. Without `pu rtscts No`, minicom sets RTS/CTS, as its termios shows.
  static let flow = ImportedSetting(["rtscts", "xonxoff"]) { values in
    let isHard = isOn(values["rtscts"] ?? "Yes")
    let isSoft = isOn(values["xonxoff"])
    let keys = ["rtscts", "xonxoff"].filter { values[$0] != nil }
    let remarks = [
      isHard && values["rtscts"] == nil ? "minicom's default without 'pu rtscts No'" : nil,
      isHard && isSoft ? "not xonxoff at the same time" : nil,
    ]
    let remark = remarks.compactMap(\.self).joined(separator: ", ")
    return [
      .entry(
        "flow", .string(isHard ? "hard" : isSoft ? "soft" : "none"), from: keys,
        remark: remark.isEmpty ? nil : remark)
    ]
  }

  private static let rs485Items = [
    ("rs485rtsonsnd", "rts-on-send"), ("rs485rxdurtx", "rx-during-tx"),
    ("rs485delbefsnd", "delay-before"), ("rs485delaftsnd", "delay-after"),
  ]

  private static let rs485 = ImportedSetting(
    ["rs485en"] + rs485Items.map(\.0) + ["rs485rtsaftsnd", "rs485termbus"]
  ) { values in
    guard isOn(values["rs485en"]) else { return [] }
    let items = rs485Items.compactMap { key, name -> String? in
      guard let value = values[key], value != "No" else { return nil }
      return "\(name)=\(value == "Yes" ? "on" : value)"
    }
    let used = ["rs485en"] + rs485Items.map(\.0).filter { values[$0] != nil }
    return [
      .entry(
        "rs485", .string(items.isEmpty ? "on" : items.joined(separator: ",")), from: used)
    ]
  }

  // MARK: The view

  private static let view: [ImportedSetting] = [
    flag("localecho", as: "local-echo", .boolean(true)),
    flag("displayhex", as: "hex", .boolean(true)),
    ImportedSetting(["addlinefeed", "addcarreturn", "backspace"]) { values in
      let keys = ["addlinefeed", "addcarreturn", "backspace"].filter { values[$0] != nil }
      let items = [
        isOn(values["addlinefeed"]) ? "ICRCRNL" : nil,
        isOn(values["addcarreturn"]) ? "INLCRNL" : nil,
        values["backspace"] == "BS" ? "ODELBS" : nil,
      ].compactMap(\.self)
      guard !items.isEmpty else { return keys.map { .same($0, as: "the same here") } }
      return [.entry("map", .string(items.joined(separator: ",")), from: keys)]
    },
    ImportedSetting("linewrap") { value, _ in
      isOn(value)
        ? .same("linewrap", as: "the terminal wraps lines")
        : .dropped("linewrap", because: "the terminal decides whether it wraps lines")
    },
    ImportedSetting("escape-key") { value, _ in
      guard value.count == 2, value.hasPrefix("^") else {
        return .dropped("escape-key", because: "expected a control character such as ^A")
      }
      return .entry(
        "prefix", .string("ctrl-\(value.dropFirst().lowercased())"), from: ["escape-key"])
    },
  ]
}
