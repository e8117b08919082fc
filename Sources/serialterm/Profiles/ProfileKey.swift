import Configuration

/// A key of the configuration: an option of the commands that talk to a device, by its long name.
struct ProfileKey: Hashable {
  let name: String
  let kind: Kind
  /// The option's letter.
  let letter: Character?
  /// The commands that have the option; to the others the key says nothing.
  let commands: Set<ProfiledCommandName>

  /// What its value is.
  enum Kind {
    case text, integer, number
    /// An option that may be given more than once: one text, or several.
    case texts
    /// An option without a value, on or off.
    case flag
    /// The same, which the parser itself can switch off: `--no-NAME`.
    case invertibleFlag
  }

  init(
    _ name: String, _ kind: Kind, _ letter: Character? = nil,
    of commands: Set<ProfiledCommandName> = Set(ProfiledCommandName.allCases)
  ) {
    self.name = name
    self.kind = kind
    self.letter = letter
    self.commands = commands
  }

  /// The key of a name.
  init?(named name: String) {
    guard let key = Self.all.first(where: { $0.name == name }) else { return nil }
    self = key
  }

  /// All of them. What a command's help lists and is not here is no matter of a configuration; a
  /// test compares.
  static let all: [ProfileKey] =
    [
      .init("baud", .integer, "b"), .init("data-bits", .integer, "d"),
      .init("parity", .text, "p"), .init("stop-bits", .integer, "s"), .init("flow", .text, "f"),
      .init("dtr", .text), .init("rts", .text), .init("hangup", .invertibleFlag),
      .init("on-open", .text), .init("mark-errors", .flag), .init("rs485", .text),
      .init("low-latency", .flag), .init("uucp-lock", .flag), .init("exclusive", .flag),
      .init("shared", .flag), .init("wait", .flag), .init("quiet", .flag, "q"),
      .init("byte-delay", .integer, "o"), .init("line-delay", .integer, "O"),
      .init("wait-for", .text),
    ] + connectKeys + scriptKeys

  private static let connectKeys: [ProfileKey] = [
    .init("reconnect", .invertibleFlag, of: [.connect]),
    .init("no-reconnect", .flag, "n", of: [.connect]),
    .init("local-echo", .flag, "e", of: [.connect]), .init("hex", .flag, "x", of: [.connect]),
    .init("hex-gap", .integer, of: [.connect]),
    .init("timestamps", .text, "t", of: [.connect]), .init("map", .text, "m", of: [.connect]),
    .init("highlight", .texts, of: [.connect]),
    .init("raw", .flag, of: [.connect]), .init("status", .flag, of: [.connect]),
    .init("input-mode", .text, of: [.connect]), .init("read-only", .flag, of: [.connect]),
    .init("log", .texts, "L"), .init("log-format", .text),
    .init("log-append", .flag), .init("log-sent", .flag),
    .init("log-rotate", .text), .init("log-rotate-every", .text),
    .init("log-keep", .integer),
    .init("prefix", .text, of: [.connect]), .init("linger", .number, of: [.connect]),
    .init("drain", .number, of: [.connect]), .init("release-on", .text, of: [.connect]),
  ]

  private static let scriptKeys: [ProfileKey] = [
    .init("timeout", .number, of: [.send, .run]), .init("prompt", .text, of: [.send]),
    .init("line-ending", .text, of: [.send]),
  ]
}

/// The commands that profiles are for.
enum ProfiledCommandName: String, CaseIterable {
  case connect, send, run
}

extension ProfileKey {
  /// The command line's words for a value; nil if the value is not of the key's kind.
  func arguments(for value: Value) -> [String]? {
    switch (kind, value) {
    case (.text, .string(let text)), (.texts, .string(let text)): ["--\(name)=\(text)"]
    case (.texts, .array(let values)): words(for: values)
    case (.integer, .integer(let number)), (.number, .integer(let number)):
      ["--\(name)=\(number)"]
    case (.number, .number(let number)): ["--\(name)=\(number)"]
    case (.flag, .boolean(let isOn)): isOn ? ["--\(name)"] : []
    case (.invertibleFlag, .boolean(let isOn)): [isOn ? "--\(name)" : "--no-\(name)"]
    case (.text, _), (.texts, _), (.integer, _), (.number, _), (.flag, _), (.invertibleFlag, _): nil
    }
  }

  private func words(for values: [Value]) -> [String]? {
    let words = values.compactMap {
      if case .string(let text) = $0 { "--\(name)=\(text)" } else { nil }
    }
    return words.count == values.count ? words : nil
  }

  /// Whether words give the option: what is typed replaces all that the configuration says.
  func isGiven(in words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { word in
      word == "--\(name)" || word.hasPrefix("--\(name)=")
        || letter.map { word == "-\($0)" || word.hasPrefix("-\($0)=") } ?? false
    }
  }

  /// What its value is, in words.
  var expected: String {
    switch kind {
    case .text: "a string"
    case .texts: "a string, or an array of strings"
    case .integer: "a whole number"
    case .number: "a number"
    case .flag, .invertibleFlag: "true or false"
    }
  }
}
