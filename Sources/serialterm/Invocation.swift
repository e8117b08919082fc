import Options

/// What the words of a command line ask the program for.
enum Invocation {
  case version
  /// The script by which a shell completes command lines, for the shell of this name.
  case completionScript(String)
  /// Help about these words: none, a command or a subject.
  case help([String])
  /// A command with the words that follow its name.
  case command(any Subcommand.Type, [String])

  /// Reads the words after the program's name. Without a command, they are those of `connect`.
  init(_ words: [String]) {
    let first = words.first ?? ""
    let options = words.prefix { $0 != "--" }
    let asksForHelp = options.contains("--help") || options.contains("-h")
    if first == "--version" {
      self = .version
    } else if first == "--generate-completion-script" {
      self = .completionScript(words.count > 1 ? words[1] : "")
    } else if first == "help" {
      self = .help(words.dropFirst().filter { !$0.hasPrefix("-") })
    } else if let (command, count) = Self.command(words) {
      self =
        asksForHelp
        ? .help([command.description.name]) : .command(command, Array(words.dropFirst(count)))
    } else if Self.isGroup(first), words.count == 1 || asksForHelp {
      self = .help([first])
    } else if asksForHelp {
      self = .help(options.count == 1 ? [] : [ConnectCommand.description.name])
    } else {
      self = .command(ConnectCommand.self, words)
    }
  }

  /// The command whose name the words begin with, and the number of words in its name.
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

  /// Whether a word is the first of the names of several commands.
  private static func isGroup(_ word: String) -> Bool {
    Subcommands.all.contains { $0.name.hasPrefix("\(word) ") }
  }
}
