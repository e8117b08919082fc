/// Advice that the parser's error messages lack: which help to read, and the names that other terminal
/// programs use for an option.
enum UsageAdvice {
  /// The complete message for an error of the parser.
  ///
  /// - Parameters:
  ///   - message: The parser's message.
  ///   - arguments: The arguments of the program.
  ///   - subcommands: The names of the subcommands.
  static func message(
    for message: String, arguments: [String], subcommands: Set<String>
  ) -> String {
    let named = arguments.first.flatMap { subcommands.contains($0) ? $0 : nil }
    let help = "See 'serialterm \(named ?? "connect") --help'."
    if let option = quoted(after: "Unknown option", in: message), let advice = otherNames[option] {
      return "Unknown option '\(option)': \(advice). \(help)"
    }
    if let number = quoted(after: "Unexpected argument", in: message), named == nil,
      number.allSatisfy(\.isNumber)
    {
      return "Unexpected argument '\(number)': for the baud rate use --baud \(number). \(help)"
    }
    if let extra = quoted(after: "Unexpected argument", in: message), named == nil,
      let advice = advice(onArgument: extra, after: arguments, subcommands: subcommands)
    {
      let end = advice.hasSuffix("?") ? "" : "."
      return "Unexpected argument '\(extra)': \(advice)\(end) \(help)"
    }
    var message = withoutRepetition(message)
    if message.hasSuffix("is invalid for '--prefix <prefix>'") {
      message += ": expected ctrl-a to ctrl-z, or none"
    }
    let end = message.hasSuffix(".") || message.hasSuffix("?") ? "" : "."
    return "\(message)\(end) \(help)"
  }

  /// The message for a word that the parser took for a further TARGET, and that is none: a baud rate, or what
  /// follows a misspelt command; nil if it may be a TARGET.
  ///
  /// - Parameters:
  ///   - targets: The TARGETs that lead nowhere, as they were given.
  ///   - arguments: The arguments of the program.
  ///   - subcommands: The names of the subcommands.
  static func message(
    forTargets targets: [String], arguments: [String], subcommands: Set<String>
  ) -> String? {
    targets.lazy.compactMap { target in
      let isNumber = target.allSatisfy(\.isNumber)
      let isKnown =
        isNumber || advice(onArgument: target, after: arguments, subcommands: subcommands) != nil
      guard isKnown else { return nil }
      // The parser would have said this of a second TARGET where only one is allowed.
      let words =
        isNumber && subcommands.contains(arguments.first ?? "")
        ? Array(arguments.dropFirst()) : arguments
      return message(
        for: "Unexpected argument '\(target)'", arguments: words, subcommands: subcommands)
    }.first
  }

  /// What an argument that the parser did not expect may have been meant as; nil if there is no guess.
  private static func advice(
    onArgument extra: String, after arguments: [String], subcommands: Set<String>
  ) -> String? {
    if let place = arguments.firstIndex(of: extra), place > 0,
      ["-t", "--timestamps"].contains(arguments[place - 1])
    {
      return "time formats are time, iso, delta, start and epoch, with :us for microseconds"
    }
    guard let first = arguments.first, first != extra, !subcommands.contains(first) else {
      return nil
    }
    return subcommands.filter { isMisspelling(first, of: $0) }.min()
      .map { "'\(first)' is not a command; did you mean '\($0)'?" }
  }

  /// Whether a word becomes a name by one change: a character too many, missing, or wrong, or two that
  /// are exchanged.
  private static func isMisspelling(_ word: String, of name: String) -> Bool {
    let (word, name) = (Array(word), Array(name))
    let head = zip(word, name).prefix { $0 == $1 }.count
    let tail = zip(word.dropFirst(head).reversed(), name.dropFirst(head).reversed())
      .prefix { $0 == $1 }.count
    let (wrong, right) = (
      word[head..<(word.count - tail)], name[head..<(name.count - tail)]
    )
    return max(wrong.count, right.count) <= 1
      || (wrong.count == 2 && right.count == 2 && wrong.first == right.last
        && wrong.last == right.first)
  }

  /// The message without the parser's introduction of a malformed TARGET, which the message itself names.
  private static func withoutRepetition(_ message: String) -> String {
    let introduction = "is invalid for '<target>': "
    guard message.hasPrefix("The value '"), let range = message.firstRange(of: introduction) else {
      return message
    }
    return String(message[range.upperBound...])
  }

  /// The quoted word at the end of the introduction of a message: `Unknown option '--x'`.
  private static func quoted(after introduction: String, in message: String) -> String? {
    guard message.hasPrefix("\(introduction) '") else { return nil }
    let rest = message.dropFirst(introduction.count + 2)
    return rest.firstIndex(of: "'").map { String(rest[..<$0]) }
  }

  /// Options of tio(1), picocom(1), minicom(1) and pyserial's miniterm, and what to use here.
  static let otherNames: [String: String] = [
    "--baudrate": "use --baud", "--speed": "use --baud",
    "--databits": "use --data-bits", "--stopbits": "use --stop-bits",
    "--output-delay": "use --byte-delay", "--output-line-delay": "use --line-delay",
    "--no-autoconnect": "use --no-reconnect", "--noreset": "use --no-hangup",
    "--echo": "use --local-echo", "--timestamp": "use --timestamps",
    "--timestamp-format": "use --timestamps FORMAT", "--hexadecimal": "use --hex",
    "--output-mode": "use --hex", "--imap": "use --map from-device:…",
    "--omap": "use --map to-device:…", "--emap": "use --map",
    "--logfile": "use --log FILE", "--log-file": "use --log FILE",
    "--capturefile": "use --log FILE", "--log-directory": "use --log FOLDER/FILE",
    "--log-strip": "use --log-format text", "--rs-485": "use --rs485 on",
    "--rs-485-config": "use --rs485", "--nolock": "use --shared", "--mute": "use --quiet",
    "--escape": "use --prefix", "--prefix-ctrl-key": "use --prefix",
    "--list": "use 'serialterm list'", "--list-devices": "use 'serialterm list'",
    "-l": "use 'serialterm list'; a log is --log FILE",
    "--port": "name the device without an option", "--device": "name the device without an option",
    "-D": "name the device without an option", "--tty": "name the device without an option",
    "--auto-connect": "use the TARGET latest or new",
    "--script": "use 'serialterm run'", "--script-file": "use 'serialterm run'",
    "--response-wait": "use 'serialterm send TARGET TEXT --expect REGEX'",
  ]
}
