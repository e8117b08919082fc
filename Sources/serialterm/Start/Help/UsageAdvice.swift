import NetworkLinks
import Options
import TextTools

/// Messages about wrong command lines. They suggest the intended option or command, and the
/// help to read.
enum UsageAdvice {
  /// The message for a word that is not a valid parameter.
  ///
  /// - Parameter command: the command; `connect` if the command line names none.
  static func message(for error: WordError, in command: CommandDescription) -> String {
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
      what = "\(name) needs \(count): \(name) \(declaration.placeholder)\(dash)."
    case .unexpectedValue(let option, let value):
      what = "\(option) takes no value: '\(option)=\(value)'."
    case .unexpectedArgument(let word):
      what = "unexpected argument '\(word)'\(advice(onArgument: word, in: command))"
    case .missingArgument(let declaration):
      let usage = command.usage(of: Serialterm.name)
      let name = declaration.isArgument ? declaration.placeholder : "--\(declaration.name)"
      what = "\(name) is missing: \(usage)\(usage.hasSuffix(".") ? "" : ".")"
    }
    return "\(what) \(help(for: command))"
  }

  /// The message for a wrong value, or for values that contradict each other.
  static func message(for error: UsageError, in command: CommandDescription) -> String {
    let end = error.description.hasSuffix(".") || error.description.hasSuffix("?") ? "" : "."
    // Other programs have an option for the device: -p in esptool, -D in minicom.
    let isDevice =
      !error.parameters.isEmpty
      && [" '/dev/tty", " 'tty"].contains { error.description.firstRange(ofText: $0) != nil }
      && error.description.firstRange(ofText: "': expected") != nil
    let advice = isDevice ? " To name the device, write it without an option." : ""
    return "\(error)\(end)\(advice) \(help(for: command))"
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
    guard let name = FormerNames.presentName(ofOption: option) else { return nil }
    if let present = command.declarations.first(where: { $0.isWritten("--\(name)") }) {
      return "\(option) is now --\(name): write \(present.usage)."
    }
    if let advice = otherNames[option], isTrue(advice, for: command) { return nil }
    let this = "\(Serialterm.name) \(command.name)"
    let end =
      name == PlotParameters.deadline.name
      ? "; to end it after a time, write 'timeout --foreground TIME \(this) ...'" : ""
    return "\(option) is now --\(name), which '\(this)' does not have\(end)."
  }

  private static func advice(
    onOption option: String, in command: CommandDescription
  ) -> String {
    if let rest = command.declarations.first(where: { $0.shape == .wordsAfterDashes }) {
      return ": write -- before \(rest.placeholder)."
    }
    if let advice = otherNames[option], isTrue(advice, for: command) { return ": \(advice)." }
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
    let name = advice[start...].prefix { $0 != " " && $0 != ";" }
    return command.declarations.contains { $0.isWritten(String(name)) }
  }

  // MARK: Arguments

  private static func advice(
    onArgument word: String, in command: CommandDescription
  ) -> String {
    if word.allSatisfy(\.isNumber), command.declarations.contains(where: { $0.name == "baud" }) {
      return ": did you mean -b \(word)?"
    }
    if let rest = command.declarations.first(where: { $0.shape == .wordsAfterDashes }) {
      return ": write -- before \(rest.placeholder)."
    }
    let last = command.declarations.last { $0.isArgument }
    if let last, last.name == "text" { return ": write TEXT in quotes if it has blanks." }
    return "."
  }

  /// The message for a word that was read as a TARGET but cannot be one: a baud rate, a format, or
  /// the word after a misspelt command; nil if it may be a TARGET.
  ///
  /// - Parameters:
  ///   - targets: the TARGETs that do not exist, as the user gave them.
  ///   - words: the words after the program's name.
  static func message(forTargets targets: [String], words: [String]) -> String? {
    for target in targets {
      // screen(1) has the rate and settings after the device: 9600,cs8.
      let rate = target.prefix { $0 != "," }
      if rate.allSatisfy(\.isNumber) {
        return "there is no device '\(target)': did you mean -b \(rate)? "
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
    return "'\(first)' is not a command: did you mean '\(Serialterm.name) \(name)'?"
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
    if text.allSatisfy(\.isNumber) { return "-b \(text)" }
    if isFirstWord, let command = command(likely: text) {
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

  /// What a word means to other programs, and the form of it here; nil for another word.
  private static func meaningElsewhere(of text: String) -> String? {
    let member = Subcommands.all.map { $0.name }.first { $0.hasSuffix(" \(text)") }
    if let member { return "the command '\(Serialterm.name) \(member)'" }
    // screen(1), and python's miniterm.
    let parts = text.split(separator: ",", maxSplits: 1)
    if parts.count == 2, parts[1].allSatisfy(\.isNumber) { return "'\(parts[0]) -b \(parts[1])'" }
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
    let advice =
      Misspelling.nearest(to: name, among: topics)
      .map { ": did you mean '\(Serialterm.name) help \($0)'?" } ?? "."
    return "there is no help about '\(name)'\(advice) See '\(Serialterm.name) --help'."
  }

  /// The message for an unknown second word of a command group.
  static func message(forMember word: String, of group: String) -> String {
    let members = Subcommands.all.map { $0.name }.filter { $0.hasPrefix("\(group) ") }
      .map { String($0.dropFirst(group.count + 1)) }
    let advice =
      Misspelling.nearest(to: word, among: members)
      .map { ": did you mean '\(Serialterm.name) \(group) \($0)'?" }
      ?? ": it has \(members.joined(separator: ", "))."
    return "'\(group)' has no command '\(word)'\(advice) See '\(Serialterm.name) \(group) --help'."
  }

  /// The command that a misspelt word probably stands for.
  static func command(likely word: String) -> String? {
    let names = Subcommands.all.map { $0.description }.filter { !$0.isHidden }
      .compactMap { $0.name.split(separator: " ").first.map(String.init) }
    return Misspelling.nearest(to: word, among: names + ["help"])
  }

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
    "-c": "use --local-echo", "-g": "use --log FILE", "--line": "name the device without an option",
    "--port": "name the device without an option", "--device": "name the device without an option",
    "-D": "name the device without an option", "--tty": "name the device without an option",
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
