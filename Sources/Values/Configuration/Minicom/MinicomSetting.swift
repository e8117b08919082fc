import TextTools

/// The settings of minicom 2.8, as it writes them into `minirc.*`.
enum MinicomSetting {
  /// The setting that uses a key; nil for a key that minicom does not have.
  static func about(_ key: String) -> ImportedSetting? {
    all.first { $0.keys.contains(key) } ?? reasons[key].map { dropped(key, because: $0) }
  }

  private static let all: [ImportedSetting] = line + view + [flow, rs485]

  // MARK: Settings without a counterpart

  /// Why a key has no counterpart.
  private static let reasons: [String: String] = {
    let programs = "XMODEM, YMODEM, ZMODEM and Kermit are built in; see 'serialterm send'"
    let modem = "no modem dials here; see 'snippets', and 'serialterm run'"
    let calls = "minicom's log of its calls; see 'log' for what the device sends"
    let groups: [(keys: String, reason: String)] = [
      ("minit", "nothing is sent to the device by itself; see 'snippets', and 'serialterm run'"),
      ("logfname logconn logxfer", calls),
      ("updir downdir", "a file is named by its path, and received where serialterm was started"),
      ("scriptdir scriptprog", "runscript does not run here; see 'serialterm run' for dialogues"),
      ("convf convcap remotecharset", "see 'encoding'"),
      ("hasdcd mdropdtr", "no modem is hung up; see 'hangup' for DTR after the end"),
      ("histlines", "the terminal keeps what has scrolled away"),
      (numbered("pmac"), "see 'snippets'"),
      ("\(numbered("pname")) \(numbered("pprog")) kermit kermallow kermreal", programs),
      (
        "mdialpre mdialsuf mdialpre2 mdialsuf2 mdialpre3 mdialsuf3 mdialcan mdialtime mreset "
          + "mrdelay mretries mconnect mnocon1 mnocon2 mnocon3 mnocon4 mhangup mautobaud", modem
      ),
      (
        "mfcolor mbcolor tfcolor tbcolor sfcolor sbcolor", "the colours are those of the terminal"
      ),
      (
        "zauto fselw askdndir multiline statusline sound colusage macenab changed showspeed lock "
          + "callin callout answerback disabletime statlinefmt", "it has no counterpart"
      ),
    ]
    let pairs = groups.flatMap { keys, reason in
      keys.split(separator: " ").map { (String($0), reason) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }()

  /// The keys of the 12 programs or macros.
  private static func numbered(_ name: String) -> String {
    (1...12).map { "\(name)\($0)" }.joined(separator: " ")
  }

  // MARK: Building blocks

  private static func dropped(_ key: String, because reason: String) -> ImportedSetting {
    ImportedSetting(key) { value, _ in
      value.isEmpty ? .same(key, as: "it has no value") : .dropped(key, because: reason)
    }
  }

  /// Whether the view has a setting: minicom compares the word, in either case.
  private static func isOn(_ value: String?) -> Bool { value?.lowercased() == "yes" }

  /// Whether the line has a setting: minicom compares the first letter, which is a capital.
  private static func isSet(_ value: String?) -> Bool { value?.first == "Y" }

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
    let isHard = isSet(values["rtscts"] ?? "Yes")
    let isSoft = isSet(values["xonxoff"])
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

  private static let rs485Delays = [
    ("rs485delbefsnd", "delay-before"), ("rs485delaftsnd", "delay-after"),
  ]

  private static let rs485 = ImportedSetting(
    ["rs485en", "rs485rtsonsnd", "rs485rtsaftsnd", "rs485rxdurtx"] + rs485Delays.map(\.0)
      + ["rs485termbus"]
  ) { values in
    guard isSet(values["rs485en"]) else { return [.same("rs485en", as: "the same here")] }
    var items: [String] = []
    var used = ["rs485en"]
    let levels = ["rs485rtsonsnd", "rs485rtsaftsnd"].filter { values[$0] != nil }
    if !levels.isEmpty {
      // The kernel corrects two equal levels to "on while sending", as for tio.
      let isOn = isSet(values["rs485rtsonsnd"]) || !isSet(values["rs485rtsaftsnd"])
      items.append("rts-on-send=\(isOn ? "on" : "off")")
      used += levels
    }
    if let value = values["rs485rxdurtx"] {
      items.append("rx-during-tx=\(isSet(value) ? "on" : "off")")
      used.append("rs485rxdurtx")
    }
    for (key, name) in rs485Delays {
      guard let value = values[key] else { continue }
      items.append("\(name)=\(value)")
      used.append(key)
    }
    return [
      .entry(
        "rs485", .string(items.isEmpty ? "on" : items.joined(separator: ",")), from: used),
      isSet(values["rs485termbus"])
        ? .dropped("rs485termbus", because: "no termination of the bus is switched")
        : .same("rs485termbus", as: "the same here"),
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
