import NetworkLinks
import Options
import SerialCore
import Sessions
import SystemPackage
import TextTools

/// Messages about wrong command lines. They suggest the intended option or command, and the
/// help to read.
enum UsageAdvice {
  /// The message for a word that is not a valid parameter.
  ///
  /// - Parameters:
  ///   - command: the command; `connect` if the command line names none.
  ///   - words: the words behind its name.
  static func message(
    for error: WordError, in command: CommandDescription, words: [String] = []
  ) -> String {
    let what: String
    switch error {
    case .unknownOption(let option):
      what =
        message(onFormerName: option, in: command)
        ?? "unknown option '\(option)'\(advice(onOption: option, in: command))"
    case .missingValue(let declaration, let next):
      let name = "--\(declaration.name)"
      let isPair = declaration.shape == .pairs
      let (count, which) = isPair ? ("two values", "first") : ("a value", "value")
      let dash = next.map { ". If '\($0)' is the \(which), write \(name)=\($0)" } ?? ""
      // -L lists the devices in other programs, -s sets minicom up.
      let list =
        switch declaration.letter {
        case "L": " 'serialterm list' lists the devices."
        case "s": " Settings are in the configuration: 'serialterm help profile'."
        default: ""
        }
      what = "\(name) needs \(count): \(name) \(declaration.placeholder)\(dash).\(list)"
    case .unexpectedValue(let option, let value):
      what = "\(option) takes no value: '\(option)=\(value)'."
    case .unexpectedArgument(let word):
      what = "unexpected argument '\(word)'\(advice(onArgument: word, in: command, words))"
    case .missingArgument(let declaration):
      let usage = command.usage(of: Serialterm.name)
      let name = declaration.isArgument ? declaration.placeholder : "--\(declaration.name)"
      what = "\(name) is missing: \(usage)\(usage.hasSuffix(".") ? "" : ".")"
    }
    return "\(what.sentence) \(help(for: command))"
  }

  /// The message for a wrong value, or for values that contradict each other.
  static func message(for error: UsageError, in command: CommandDescription) -> String {
    "\(error.description.sentence)\(advice(onValue: error, in: command)) \(help(for: command))"
  }

  /// What the user of a wrong value may mean, by the habits of other programs; empty for
  /// another value.
  private static func advice(onValue error: UsageError, in command: CommandDescription) -> String {
    let text = error.description
    let value = text.split(separator: "'").dropFirst().first.map(String.init) ?? ""
    // Other programs have an option for the device: -p in esptool, -D in minicom.
    let isDevice = value.hasPrefix("/dev/tty") || value.hasPrefix("tty")
    if isDevice, !error.parameters.isEmpty, text.contains(text: "': expected") {
      return " To name the device, write it without an option."
    }
    switch error.parameters {
    case ["baud"]:
      let options = lineOptions(meantBy: value).flatMap { $0.contains(text: "-d") ? $0 : nil }
      return options.map { " Did you mean \($0)?" } ?? ""
    case ["parity"] where value.first?.isNumber == true:
      let takesPort = command.declarations.contains { $0.name == "listen" }
      return takesPort ? " A port of TCP is --listen [HOST:]PORT." : ""
    case ["stop-bits"] where ["erial", "ercfg"].contains(value):
      return " PuTTY's -serial and -sercfg are '\(Serialterm.name) DEVICE -b RATE'."
    default: return ""
    }
  }

  /// The help to read.
  private static func help(for command: CommandDescription) -> String {
    "See '\(Serialterm.name) \(command.name) --help'."
  }

  // MARK: Options

  /// The message for the former name of an option; nil for another word.
  private static func message(
    onFormerName option: String, in command: CommandDescription
  ) -> String? {
    guard let name = FormerNames.presentName(ofOption: option, of: command.name),
      let present = command.declarations.first(where: { $0.isWritten("--\(name)") })
    else { return nil }
    return "\(option) is now --\(name): write \(present.usage)"
  }

  private static func advice(
    onOption option: String, in command: CommandDescription
  ) -> String {
    if let rest = command.declarations.first(where: { $0.shape == .wordsAfterDashes }) {
      return ": write -- before \(rest.placeholder)."
    }
    if let advice = ownNames[command.name]?[option] { return ": \(advice)" }
    if let advice = otherNames[option], isTrue(advice, for: command) { return ": \(advice)" }
    if option.dropFirst().first?.isNumber == true {
      return ": to name an argument that begins with '-', write -- before it."
    }
    let names = command.declarations.filter { !$0.isArgument }
      .flatMap { [$0.name, $0.oppositeName].compactMap(\.self) }
    // --keep may mean --log-keep.
    if option.hasPrefix("--"), let longer = names.first(where: { $0.hasSuffix(option.dropFirst()) })
    {
      return ": did you mean --\(longer)?"
    }
    if let commands = commands(with: option, besides: command) {
      return ": it is an option of \(commands)."
    }
    let name = Misspelling.nearest(
      to: String(option.drop { $0 == "-" }), among: names + ["help", "version"])
    guard let name, option.hasPrefix("--") else { return "." }
    return ": did you mean --\(name)?"
  }

  /// The commands that have an option, as a phrase; nil if there are none.
  private static func commands(
    with option: String, besides command: CommandDescription
  ) -> String? {
    let names = Subcommands.all.map { $0.description }.filter { other in
      !other.isHidden && other.name != command.name
        && other.declarations.contains { $0.isWritten(option) }
    }.map(\.name)
    // The options of a session are those of most other commands too.
    let named = names.contains(ConnectCommand.name) ? [ConnectCommand.name] : names.prefix(3)
    let quoted = named.map { "'\(Serialterm.name) \($0)'" }
    guard let last = quoted.last else { return nil }
    return quoted.count > 1 ? "\(quoted.dropLast().joined(separator: ", ")) and \(last)" : last
  }

  /// Whether an advice applies to a command: the command has the option that the advice names, if
  /// it names any.
  private static func isTrue(_ advice: String, for command: CommandDescription) -> Bool {
    guard let start = advice.firstIndex(of: "-"), advice[start...].hasPrefix("--") else {
      return command.declarations.contains { $0.name == "target" }
    }
    let name = advice[start...].prefix { $0 != " " && $0 != ";" && $0 != "'" }
    return name == "--version" || command.declarations.contains { $0.isWritten(String(name)) }
  }

  // MARK: Arguments

  private static func advice(
    onArgument word: String, in command: CommandDescription, _ words: [String]
  ) -> String {
    let names = command.declarations.map(\.name)
    if let place = words.firstIndex(of: word), let value = dividedValue(at: place, of: words) {
      return ": \(value)"
    }
    if let advice = ownArguments[command.name] {
      return ": \(advice.replacing(text: "WORD", with: word.shellWord))"
    }
    if isTimeOfWait(word, among: words) {
      let times = ["timeout", "linger", "deadline"].filter(names.contains).map { "--\($0)" }
      return ": --wait takes no time"
        + (times.isEmpty ? "." : "; \(times.joined(lastBy: "or")) does.")
    }
    let options = lineOptions(meantBy: word)
    if names.last(where: { name in
      command.declarations.contains { $0.name == name && $0.isArgument }
    })
      == "text"
    {
      return ": write TEXT in quotes if it has blanks"
        + (options.map { ", and \($0) for the line." } ?? ".")
    }
    if names.contains("baud"), let options { return ": did you mean \(options)?" }
    if names.contains("into") { return ": the folder for the files is --into DIR." }
    if let rest = command.declarations.first(where: { $0.shape == .wordsAfterDashes }) {
      return ": write -- before \(rest.placeholder)."
    }
    return ": \(command.usage(of: Serialterm.name))."
  }

  /// The message for a word that was read as a TARGET but cannot be one: a baud rate, a format, or
  /// the word after a misspelt command; nil if it may be a TARGET.
  ///
  /// - Parameters:
  ///   - targets: the TARGETs that do not exist, as the user gave them.
  ///   - words: the words after the program's name.
  static func message(forTargets targets: [String], words: [String]) -> String? {
    for target in targets {
      if let place = words.firstIndex(of: target), let value = dividedValue(at: place, of: words) {
        return "there is no device '\(target)': \(value). " + help(for: ConnectCommand.description)
      }
      if isTimeOfWait(target, among: words) {
        return "there is no device '\(target)': --wait takes no time. "
          + help(for: ConnectCommand.description)
      }
      if let options = lineOptions(meantBy: target) {
        return "there is no device '\(target)': did you mean \(options)? "
          + help(for: ConnectCommand.description)
      }
      if let forms = networkForms(of: target) {
        return "there is no device '\(target)': did you mean \(forms)? "
          + "See '\(Serialterm.name) help targets'."
      }
      if let place = words.firstIndex(of: target), place > 0,
        isTimestamps(words[place - 1])
      {
        return "'\(target)' is neither a device nor a time format. "
          + "Time formats are time, iso, delta, start and epoch, with :us for microseconds. "
          + help(for: ConnectCommand.description)
      }
    }
    guard let first = words.first, targets.contains(first), let name = command(likely: first) else {
      return nil
    }
    if name == "--version" {
      return "'\(first)' is not a command: use '\(Serialterm.name) --version'."
    }
    return "'\(first)' is not a command: did you mean '\(Serialterm.name) \(name)'?"
  }

  /// The message for words behind the device of `connect` that are none, as far as one can see.
  ///
  /// - Parameters:
  ///   - target: the device that is present, as the user gave it.
  ///   - missing: the words.
  static func message(forTextBehind target: String, _ missing: [String]) -> String? {
    guard let first = missing.first, !missing.contains(where: isDeviceName) else { return nil }
    let text = missing.joined(separator: " ").shellWord
    return "there is no device '\(first)'. To send a text: '\(Serialterm.name) send "
      + "\(target.shellWord) \(text)'. " + help(for: ConnectCommand.description)
  }

  /// The advice about a value that a blank divides, as in `10 MB` and `500 ms`; nil for
  /// other words.
  private static func dividedValue(at place: Int, of words: [String]) -> String? {
    guard place > 0, case let number = words[place - 1],
      number.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }), Double(number) != nil
    else { return nil }
    let word = words[place].lowercased()
    let sizes = ["k": "k", "kb": "k", "m": "M", "mb": "M", "g": "G", "gb": "G"]
    let unit = sizes[word] ?? (word == "sec" ? "s" : word)
    guard sizes[word] != nil || WrittenTime(number + unit, unit: nil) != nil else { return nil }
    return "write \(number)\(unit) without a blank"
  }

  /// Whether a word ends with the option of timestamps: `-t`, `-xt`.
  private static func isTimestamps(_ word: String) -> Bool {
    word == "--timestamps" || (word.hasPrefix("-") && !word.hasPrefix("--") && word.hasSuffix("t"))
  }

  /// A suggestion for a TARGET that does not exist; nil if nothing is similar. A different number
  /// is a different device, not a typing mistake.
  static func meaning(
    ofTarget text: String, isFirstWord: Bool, nodes: () -> [String], profiles: () -> [String]
  ) -> String? {
    if let options = lineOptions(meantBy: text) { return options }
    if isFirstWord, let command = command(likely: text) {
      if command == "--version" { return "'\(Serialterm.name) --version'" }
      return "the command '\(Serialterm.name) \(command)'"
    }
    if let profile = Misspelling.nearest(to: text, among: profiles()) {
      return "the profile '\(profile)'"
    }
    if let forms = networkForms(of: text) { return forms }
    if let advice = meaningElsewhere(of: text) { return advice }
    // A name is misspelt if its letters are: ttyUBS0 is ttyUSB0, and never ttyS0.
    let kind = { (name: String) in name.filter { !$0.isNumber } }
    let nodes = nodes()
    let kinds = usualKinds + nodes.map(kind)
    guard !kinds.contains(kind(text)),
      let meant = Misspelling.nearest(to: kind(text), among: kinds)
    else { return nil }
    return Misspelling.nearest(to: text, among: nodes.filter { kind($0) == meant })
      .map { "'\($0)'" }
  }

  /// Whether a word is a time that was written behind `--wait`.
  private static func isTimeOfWait(_ word: String, among words: [String]) -> Bool {
    guard let place = words.firstIndex(of: word), place > 0 else { return false }
    return words[place - 1] == "--wait" && word.first?.isNumber == true && WrittenTime(word) != nil
  }

  /// The options for a baud rate, a format of characters, or both: `9600`, `8N1`, `9600,7e1`.
  /// screen(1) has further settings behind a comma: `9600,cs8`. Nil for another word.
  static func lineOptions(meantBy word: String) -> String? {
    let settings = word.split(separator: ",")
    let parts = settings.first?.split(whereSeparator: { "-/".contains($0) }) ?? []
    guard let first = parts.first else { return nil }
    let isRate = first.allSatisfy { $0.isASCII && $0.isNumber }
    // 1-1.2 is no rate, but a port of USB.
    guard parts.dropFirst(isRate ? 1 : 0).allSatisfy({ formatOptions($0) != nil }) else {
      return nil
    }
    let formats = (parts + settings.dropFirst()).compactMap(formatOptions)
    return ((isRate ? ["-b \(first)"] : []) + formats.prefix(1)).joined(separator: " ")
  }

  /// The options for a format of characters: `8N1`.
  private static func formatOptions(_ word: Substring) -> String? {
    guard word.count == 3, word.first?.isWholeNumber == true,
      let format = try? LineSettings(parsing: "1 \(word)")
    else { return nil }
    return
      "-d \(format.dataBits.rawValue) -p \(format.parity.rawValue) -s \(format.stopBits.rawValue)"
  }

  /// The message for arguments in the wrong order: a TARGET behind another argument. Nil for
  /// any others.
  ///
  /// - Parameter isDevice: whether a word is a TARGET for sure: a present device, an address.
  static func message(
    forOrderOf given: Given, in command: CommandDescription, isDevice: (String) -> Bool
  ) -> String? {
    let arguments = command.declarations.filter(\.isArgument)
    guard arguments.first?.name == "target", arguments.count > 1,
      let first = given["target"]?.first, !isDeviceName(first), !isOtherTarget(first),
      !isDevice(first),
      let target = arguments.dropFirst().flatMap({ given[$0.name] ?? [] }).first(where: isDevice)
    else { return nil }
    return
      "'\(first)' is no device, and '\(target)' is one. The device comes first: '\(Serialterm.name) "
      + "\(command.name) \(target.shellWord) \(first.shellWord)'."
  }

  /// Whether a word looks like the name of a device, which may be absent.
  private static func isDeviceName(_ word: String) -> Bool {
    word.hasPrefix("/dev/") || word.hasPrefix("tty")
  }

  /// Whether a word is a TARGET that does not name a node, such as an address or a selector.
  private static func isOtherTarget(_ word: String) -> Bool {
    guard let target = try? Target(parsing: word) else { return false }
    return target.node == nil
  }

  /// The message for TARGETs of one command that are the same device; nil if all differ.
  ///
  /// - Parameter targets: the TARGETs as messages name them, each with the node that it leads to;
  ///   nil for no node.
  static func message(forSame targets: [(name: String, node: FilePath?)]) -> String? {
    var seen: [FilePath: String] = [:]
    for (name, node) in targets {
      guard let node, let other = seen.updateValue(name, forKey: node) else { continue }
      return name == other
        ? "\(name) is named twice: name each device once."
        : "\(other) and \(name) are the same device: name it once."
    }
    return nil
  }

  /// What a word means to other programs, and the form of it here; nil for another word.
  private static func meaningElsewhere(of text: String) -> String? {
    let member = Subcommands.all.map { $0.name }.first { $0.hasSuffix(" \(text)") }
    if let member { return "the command '\(Serialterm.name) \(member)'" }
    // screen(1), and python's miniterm.
    let parts = text.split(separator: ",", maxSplits: 1)
    if parts.count == 2, let options = lineOptions(meantBy: String(parts[1])) {
      return "'\(parts[0]) \(options)'"
    }
    guard text.uppercased().hasPrefix("COM"), let number = Int(text.dropFirst(3)), number >= 0
    else {
      return nil
    }
    return "a node such as ttyUSB0, which 'serialterm list' shows"
  }

  /// The letters of the nodes of most devices, most of all USB adapters.
  private static let usualKinds = ["ttyUSB", "ttyACM", "ttyS", "ttyAMA"]

  /// The TARGETs that a host and a port may stand for, `localhost:4000`; nil for another text.
  static func networkForms(of text: String) -> String? {
    guard (try? HostAddress(parsing: text)) != nil else { return nil }
    return "'rfc2217://\(text)' (a server's serial port), 'telnet://\(text)' (a telnet server) or "
      + "'tcp://\(text)' (bytes alone)"
  }

  /// The message for an unknown help topic.
  static func message(forHelpAbout topic: [String]) -> String {
    let topics =
      HelpTopic.subjects.map(\.name) + Subcommands.all.map { $0.name }
      + HelpTopic.groups.map(\.name)
    let name = topic.joined(separator: " ")
    let word = String(name.drop { $0 == "-" })
    let help = "\(Serialterm.name) help"
    // The plural of a word, and its singular.
    let inflected = topics.first { $0 == "\(name)s" || name == "\($0)s" }
    let nearest: String
    if let topic = inflected ?? otherCommands[name] {
      nearest = topic.hasPrefix("-") ? "\(Serialterm.name) \(topic)" : "\(help) \(topic)"
    } else if let command = commands(withOption: word).first {
      let isOfSession = command == ConnectCommand.name
      let near = isOfSession ? nil : Misspelling.nearest(to: name, among: topics)
      guard let near else { return "'\(name)' is an option: see '\(help) \(command) all'." }
      nearest = "\(help) \(near)"
    } else if Command.all.contains(where: { $0.name == word }) {
      return "'\(name)' is a command of a session: see '\(help) keys'."
    } else if let near = Misspelling.nearest(to: name, among: topics) {
      nearest = "\(help) \(near)"
    } else {
      return "there is no help about '\(name)'. See '\(Serialterm.name) --help'."
    }
    return
      "there is no help about '\(name)': did you mean '\(nearest)'? See '\(Serialterm.name) --help'."
  }

  /// The commands with an option, `connect` first. Wireshark alone gives options to `extcap`.
  private static func commands(withOption name: String) -> [String] {
    let descriptions = Subcommands.all.map { $0.description }
      .filter { !$0.isHidden && $0.name != ExtcapCommand.name }
    let names = descriptions.filter { $0.declarations.contains { $0.isWritten("--\(name)") } }
      .map(\.name)
    return names.filter { $0 == ConnectCommand.name } + names.filter { $0 != ConnectCommand.name }
  }

  /// The name of an option that a key of a configuration file stands for; nil if there is none.
  static func key(meantBy key: String) -> String? {
    let name = key.map { $0 == "_" ? "-" : String($0) }.joined()
    if let advice = otherNames["--\(name)"], advice.hasPrefix("use --"),
      let own = advice.split(separator: " ").dropFirst().first?.dropFirst(2),
      ProfileFile.keys.contains(String(own))
    {
      return String(own)
    }
    return Misspelling.nearest(to: name, among: ProfileFile.keys.sorted())
  }

  /// The message for an unknown second word of a command group.
  static func message(forMember word: String, of group: String) -> String {
    let members = Subcommands.all.map { $0.name }.filter { $0.hasPrefix("\(group) ") }
      .map { String($0.dropFirst(group.count + 1)) }
    let isRemoval = ["delete", "remove", "rm"].contains(word)
    let advice =
      isRemoval
      ? ": delete its lines, [\(group).NAME], in the configuration."
      : Misspelling.nearest(to: word, among: members)
        .map { ": did you mean '\(Serialterm.name) \(group) \($0)'?" }
        ?? ": it has \(members.joined(separator: ", "))."
    return "'\(group)' has no command '\(word)'\(advice) See '\(Serialterm.name) \(group) --help'."
  }

  /// The command that a word probably stands for: a misspelt one, or a word of other programs.
  static func command(likely word: String) -> String? {
    otherCommands[word] ?? command(misspelt: word)
  }

  /// The command that a misspelt word probably stands for.
  static func command(misspelt word: String) -> String? {
    let names = Subcommands.all.map { $0.description }.filter { !$0.isHidden }
      .compactMap { $0.name.split(separator: " ").first.map(String.init) }
    return Misspelling.nearest(to: word, among: names + ["help"])
  }

  /// Words that may stand for a command, and the command.
  private static let otherCommands = [
    "version": "--version", "ls": "list", "devices": "list", "ports": "list", "open": "connect",
    "terminal": "connect", "upload": "send", "write": "send", "download": "receive",
    "capture": "log", "record": "log", "join": "attach", "sessions": "attach --list",
    "profiles": "profile list", "share": "serve", "sniff": "tap", "watch": "monitor",
  ]

  /// Options that a command has not, and what its user may mean.
  private static let ownNames: [String: [String: String]] = [
    "log": [
      "-L": inPlaceOfLog, "--log": inPlaceOfLog,
      "--for":
        "to end it after a time, write 'timeout --foreground TIME \(Serialterm.name) log ...'",
    ],
    "monitor": [
      "-p": inPlaceOfMonitor, "-b": inPlaceOfMonitor, "--config": inPlaceOfMonitor,
      "--for": "use --deadline",
    ],
    "run": ["--for": "use --deadline"],
    "send": ["--for": "use --linger (the quiet after the end); --timeout with --expect"],
  ]
  private static let inPlaceOfLog = "the file is an argument: '\(Serialterm.name) log TARGET FILE'"
  private static let inPlaceOfMonitor =
    "'\(Serialterm.name) TARGET' shows what a device sends; monitor watches devices being plugged in"

  /// What the user of a command that takes no such argument may mean. WORD is the argument.
  private static let ownArguments = [
    "list": "'\(Serialterm.name) doctor WORD' examines one device",
    "monitor": "'\(Serialterm.name) WORD' shows what a device sends; monitor watches devices being "
      + "plugged in",
    "mcp": "did you mean --allow WORD?",
  ]

  /// Options of other programs, and their equivalents here: tio(1), picocom(1), minicom(1),
  /// pyserial's miniterm, and options that many programs have.
  static let otherNames: [String: String] = [
    "--baudrate": "use --baud", "--speed": "use --baud",
    "--databits": "use --data-bits", "--stopbits": "use --stop-bits",
    "--output-delay": "use --byte-delay", "--output-line-delay": "use --line-delay",
    "--no-autoconnect": "use --no-reconnect", "--noreset": "use --no-hangup",
    "--echo": "use --local-echo", "--timestamp": "use --timestamps",
    "--timestamp-format": "use --timestamps FORMAT", "--hexadecimal": "use --hex",
    "--output-mode": "use --hex", "--imap": "use --map from-device:CHANGE",
    "--omap": "use --map to-device:CHANGE", "--emap": "use --map",
    "--logfile": "use --log FILE", "--log-file": "use --log FILE",
    "--capturefile": "use --log FILE", "--log-directory": "use --log FOLDER/FILE",
    "--log-strip": "use --log-format text", "--rs-485": "use --rs485 on",
    "--rs-485-config": "use --rs485", "--nolock": "use --shared", "--mute": "use --quiet",
    "--prefix-ctrl-key": "use --prefix",
    "--color": "set NO_COLOR=1 for no colours; --highlight colours text",
    "--colour": "set NO_COLOR=1 for no colours; --highlight colours text",
    "--no-color": "set NO_COLOR=1 for no colours",
    "--list": "use 'serialterm list'", "--list-devices": "use 'serialterm list'",
    "-l": "name the device without an option; 'serialterm list' lists the devices",
    "-c":
      "use --local-echo for an echo, --config FILE for a configuration, NO_COLOR=1 for no colours",
    "-v": "use 'serialterm --version' for the version; messages are shown without an option",
    "-V": "use 'serialterm --version' for the version; messages are shown without an option",
    "--verbose": "messages are shown without an option; --quiet hides them",
    "-S": "use --listen [HOST:]PORT,raw or --unix PATH,raw",
    "--socket": "use --listen [HOST:]PORT,raw or --unix PATH,raw", "-g": "use --log FILE",
    "--line": "name the device without an option",
    "--port": "name the device without an option", "--device": "name the device without an option",
    "-D": "name the device without an option", "--tty": "name the device without an option",
    "-C": "use --log FILE", "--eol": "use --line-ending", "--rtscts": "use --flow hard",
    "--xonxoff": "use --flow soft",
    "--dsrdtr": "there is no flow control by DSR and DTR; --flow hard uses RTS and CTS",
    "--exit-char": "use --prefix for another key than ctrl-t; ctrl-t q quits",
    "--menu-char": "use --prefix for another key than ctrl-t; ctrl-t : has the commands",
    "--auto-connect": "use the TARGET latest or new",
    "--script-file": "use --script",
    "--response-wait": "use 'serialterm send TARGET TEXT --expect REGEX'",
  ]
}

extension Declaration {
  /// Whether a word names the option: `--name`, `-n`, or its opposite.
  fileprivate func isWritten(_ word: String) -> Bool {
    guard !isArgument else { return false }
    return "--\(name)" == word || oppositeName.map { "--\($0)" } == word
      || letter.map { "-\($0)" } == word || oppositeLetter.map { "-\($0)" } == word
  }
}
