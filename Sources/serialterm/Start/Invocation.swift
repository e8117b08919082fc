import Options

/// The request that the words of a command line make.
enum Invocation {
  case version
  /// The completion script for the shell of this name.
  case completionScript(String)
  /// Help about a topic: the program if there are no words, otherwise a command or a subject.
  case help([String])
  /// A command with the words that follow its name.
  case command(any Subcommand.Type, [String])
  /// An unknown second word of a command group: `profile lst`.
  case noMember(group: String, String)

  /// The words after the program's name, as if it had been called `serialterm`: a link called
  /// `serialterm-extcap` is the command of this name.
  static func words(of arguments: [String]) -> [String] {
    let name = arguments.first?.split(separator: "/").last
    let words = Array(arguments.dropFirst())
    return name.map(String.init) == "\(Serialterm.name)-\(ExtcapCommand.name)"
      ? [ExtcapCommand.name] + words : words
  }

  /// Interprets the words after the program's name. Without a command, they belong to `connect`.
  init(_ words: [String]) {
    let first = words.first ?? ""
    let options = words.prefix { $0 != "--" }
    let asksForHelp = options.contains("--help") || options.contains("-h")
    let script = "--generate-completion-script"
    if first == script || first.hasPrefix("\(script)=") {
      let joined = first.dropFirst(script.count + 1)
      self = .completionScript(words.count > 1 ? words[1] : String(joined))
    } else if first == "help" {
      self = .help(words.dropFirst().filter { $0 != "--help" && $0 != "-h" })
    } else if options.contains("--version"), !asksForHelp {
      self = .version
    } else if let (command, count) = Self.command(words) {
      self =
        asksForHelp
        ? .help([command.description.name]) : .command(command, Array(words.dropFirst(count)))
    } else if Self.isGroup(first) {
      let member = words.dropFirst().first
      self = member == nil || asksForHelp ? .help([first]) : .noMember(group: first, member ?? "")
    } else if asksForHelp {
      self = .help(Self.topic(of: options))
    } else {
      self = .command(ConnectCommand.self, words)
    }
  }

  /// The topic of `--help` without a command: the program, `connect`, or a misspelt command.
  private static func topic(of words: ArraySlice<String>) -> [String] {
    guard words.count > 1, let first = words.first else { return [] }
    let isMisspelt = UsageAdvice.command(misspelt: first) != nil
    return [isMisspelt ? first : ConnectCommand.name]
  }

  /// The command whose name the words begin with, and the number of words in that name.
  private static func command(_ words: [String]) -> (any Subcommand.Type, Int)? {
    guard let first = words.first else { return nil }
    let longName = words.count > 1 ? "\(first) \(words[1])" : first
    for command in Subcommands.all {
      let name = command.name
      if name == first { return (command, 1) }
      if name == longName { return (command, 2) }
    }
    return nil
  }

  /// Whether a word is the first word of several commands' names.
  private static func isGroup(_ word: String) -> Bool {
    Subcommands.all.contains { $0.name.hasPrefix("\(word) ") }
  }
}
