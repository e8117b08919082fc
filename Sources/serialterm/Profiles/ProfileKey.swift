import Configuration

/// A key of the configuration: the long name of an option of `connect`, `send` or `run`.
struct ProfileKey: Hashable {
  let name: String
  let kind: Kind
  /// The option's letter.
  let letter: Character?
  /// The commands that have the option. The others ignore the key.
  let commands: Set<ProfiledCommandName>

  /// The kind of value.
  enum Kind {
    case text, integer, number
    /// A string, or an array of strings: an option that may be given more than once.
    case texts
    /// An option without a value, on or off.
    case flag
    /// A flag whose `--no-NAME` the parser itself knows.
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

  /// Finds the key with a name.
  init?(named name: String) {
    guard let key = Self.all.first(where: { $0.name == name }) else { return nil }
    self = key
  }

  /// All keys. Options that are not here cannot be set by a configuration; a test compares the list
  /// with the options of the commands.
  static let all: [ProfileKey] =
    [
      .init("baud", .integer, "b"), .init("data-bits", .integer, "d"),
      .init("parity", .text, "p"), .init("stop-bits", .integer, "s"), .init("flow", .text, "f"),
      .init("dtr", .text), .init("rts", .text), .init("hangup", .invertibleFlag),
      .init("on-open", .text), .init("mark-errors", .flag), .init("rs485", .text),
      .init("low-latency", .flag), .init("uucp-lock", .flag), .init("exclusive", .flag),
      .init("shared", .flag), .init("quiet", .flag, "q"), .init("log-format", .text),
      .init("log-append", .flag), .init("log-rotate", .text), .init("log-rotate-every", .text),
      .init("log-keep", .integer),
    ] + senderKeys + connectKeys + scriptKeys + logKeys

  /// The keys of the commands that can send.
  private static let senderKeys: [ProfileKey] = [
    ("wait", .flag, nil), ("byte-delay", .integer, "o"), ("line-delay", .integer, "O"),
    ("wait-for", .text, nil), ("log", .texts, "L"), ("log-sent", .flag, nil),
  ].map { .init($0, $1, $2, of: [.connect, .send, .run]) }

  private static let connectKeys: [ProfileKey] = [
    .init("reconnect", .invertibleFlag, of: [.connect]),
    .init("no-reconnect", .flag, "n", of: [.connect]),
    .init("local-echo", .flag, "e", of: [.connect]), .init("hex", .flag, "x", of: [.connect]),
    .init("hex-gap", .integer, of: [.connect]),
    .init("timestamps", .text, "t", of: [.connect]), .init("map", .text, "m", of: [.connect]),
    .init("highlight", .texts, of: [.connect]),
    .init("raw", .flag, of: [.connect]), .init("status", .flag, of: [.connect]),
    .init("plain", .flag, of: [.connect]),
    .init("input-mode", .text, of: [.connect]), .init("read-only", .flag, of: [.connect]),
    .init("prefix", .text, of: [.connect]), .init("linger", .number, of: [.connect]),
    .init("drain", .number, of: [.connect]), .init("release-on", .text, of: [.connect]),
  ]

  private static let scriptKeys: [ProfileKey] = [
    .init("timeout", .number, of: [.send, .run]), .init("deadline", .number, of: [.run]),
    .init("prompt", .text, of: [.send]),
    .init("line-ending", .text, of: [.connect, .send]),
  ]

  private static let logKeys: [ProfileKey] = [
    .init("mode", .text, of: [.log]), .init("group", .text, of: [.log]),
  ]
}

/// The commands that read the configuration.
enum ProfiledCommandName: String, CaseIterable {
  case connect, log, send, run
}

extension ProfileKey {
  /// Returns the arguments that set the option to a value, nil if the value is of the wrong kind.
  func arguments(for value: Value) -> [String]? {
    switch (kind, value) {
    case (.text, .string(let text)), (.texts, .string(let text)): ["--\(name)=\(text)"]
    case (.texts, .array(let values)): words(for: values)
    case (.integer, .integer(let number)), (.number, .integer(let number)):
      ["--\(name)=\(number)"]
    case (.number, .number(let number)): ["--\(name)=\(number)"]
    case (.flag, .boolean(true)): ["--\(name)"]
    case (.invertibleFlag, .boolean(let isOn)): [isOn ? "--\(name)" : "--no-\(name)"]
    // Leaves the option out, in place of what [default] says about it.
    case (_, .boolean(false)): []
    case (.text, _), (.texts, _), (.integer, _), (.number, _), (.flag, _), (.invertibleFlag, _): nil
    }
  }

  private func words(for values: [Value]) -> [String]? {
    let words = values.compactMap {
      if case .string(let text) = $0 { "--\(name)=\(text)" } else { nil }
    }
    return words.count == values.count ? words : nil
  }

  /// Whether arguments set the option, which then replaces what the configuration says.
  func isGiven(in words: [String]) -> Bool {
    words.prefix { $0 != "--" }.contains { word in
      word == "--\(name)" || word.hasPrefix("--\(name)=")
        || letter.map { word == "-\($0)" || word.hasPrefix("-\($0)=") } ?? false
    }
  }

  /// The kind of value that the key takes, for messages.
  var expected: String {
    switch kind {
    case .text: "a string, or false"
    case .texts: "a string, an array of strings, or false"
    case .integer: "a whole number"
    case .number: "a number"
    case .flag, .invertibleFlag: "true or false"
    }
  }
}
