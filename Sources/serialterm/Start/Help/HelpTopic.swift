import Options
import Terminal

/// The texts of `serialterm help` and of `--help`.
enum HelpTopic {
  /// A help topic besides the commands and their groups.
  struct Subject {
    let name: String
    let summary: String
    let text: String
    /// Other words that users look it up by.
    var otherNames: Set<String> = []
  }

  /// The help topics besides the commands and their groups.
  static var subjects: [Subject] {
    [
      Subject(name: "targets", summary: "The forms of TARGET.", text: targets),
      Subject(name: "keys", summary: "The keys of a session.", text: keys),
      Subject(
        name: "snippets", summary: "Texts with a key.", text: snippets,
        otherNames: ["snippet", "macro", "macros", "repeat"]),
      Subject(
        name: "sharing", summary: "One port, several people: the pen.", text: sharing,
        otherNames: ["share", "pen", "sessions"]),
      Subject(
        name: "logs", summary: "What a log has, and where it is.", text: logs,
        otherNames: ["logging", "logfile"]),
      Subject(
        name: "web", summary: "A session in a browser.", text: web, otherNames: ["browser", "page"]),
      Subject(name: "regex", summary: "Regular expressions.", text: regex),
      Subject(name: "scripts", summary: "The steps of a script for 'run'.", text: scripts),
      Subject(name: "json", summary: "The commands and events of --json.", text: json),
      Subject(name: "exit-status", summary: "What the exit status means.", text: exitStatus),
    ]
  }

  /// The word after the name of a command for the help with all options.
  private static let all = "all"

  /// The help text about a command, a group of commands or a subject; nil if there is
  /// no such topic.
  ///
  /// - Parameter words: the topic; `all` after the name of a command is for all its options.
  static func text(of words: [String]) -> String? {
    let name = words.joined(separator: " ")
    if name.isEmpty { return program }
    if let command = command(named: name) { return text(of: command, isComplete: false) }
    if words.last == all,
      let command = command(named: words.dropLast().joined(separator: " "))
    {
      return text(of: command, isComplete: true)
    }
    return subjects.first { $0.name == name || $0.otherNames.contains(name) }?.text
      ?? groups.first { $0.name == name }.map(text)
  }

  private static func command(named name: String) -> CommandDescription? {
    Subcommands.all.first { $0.description.name == name }?.description
  }

  /// The help text about a command.
  ///
  /// - Parameter isComplete: whether it has all options, and for a session all keys.
  static func text(of command: CommandDescription, isComplete: Bool) -> String {
    var help = HelpText(command, of: Serialterm.name, isComplete: isComplete)
    if command.name == ConnectCommand.description.name {
      if isComplete {
        help.add("KEYS, after ctrl-t", keyTerms, indentation: 8)
      } else {
        help.add("Keys: ctrl-t q quits, ctrl-t ? lists all. See 'serialterm help keys'.")
      }
    }
    if let topic = topics[command.name] {
      help.add("More: \(Serialterm.name) help \(topic)")
    }
    return help.text
  }

  /// The topic that explains what a command is for.
  private static let topics = ["attach": "sharing", "log": "logs", "serve": "sharing"]

  static let summary =
    "A serial-port terminal that survives unplugging and loses no byte silently."

  private static var program: String {
    var help = HelpText()
    help.add(paragraphs: summary)
    help.add(
      """
      Usage: serialterm [TARGET] [OPTIONS]    talk to a device ('serialterm connect')
             serialterm COMMAND ...
      """)
    help.add(
      """
      EXAMPLES
        serialterm list                  # what is my device called?
        serialterm ttyUSB0               # talk to it: 115200 baud, 8N1
        serialterm ttyUSB0 -b 9600       # at another baud rate
        serialterm loopback:board        # try it without hardware: a simulated board
        serialterm doctor ttyUSB0        # why does it not work?
      """)
    help.add(paragraphs: "In a session, ctrl-t q quits and ctrl-t ? lists the commands.")
    help.add(brief: "MOST USED OPTIONS", Array(ConnectCommand.description.mostUsed.prefix(8)))
    help.add("COMMANDS", allCommands, indentation: 14)
    help.add(
      "MORE HELP",
      [
        ("serialterm help connect all", "all options of a session"),
        ("serialterm COMMAND --help", "the options of a command"),
      ]
        + subjects.map { subject in
          let summary = subject.summary
          return (
            "serialterm help \(subject.name)",
            summary.prefix(1).lowercased() + summary.dropFirst().dropLast()
          )
        } + [("serialterm --version", "the version")], indentation: 32)
    return help.text
  }

  /// The groups of commands whose names begin with the same word.
  static let groups = [
    CommandGroup(
      name: "profile", summary: "List, show, save and import profiles.",
      discussion: """
        A profile is a named set of options for a device: the table [profile.NAME] in \
        $XDG_CONFIG_HOME/serialterm/config.toml or ~/.config/serialterm/config.toml. Its keys are \
        'target', 'match' and the long names of options. Use its name as the TARGET.
        """,
      example: """
        serialterm profile save board usb:0403:6001 --baud 9600 --local-echo
        serialterm board
        """)
  ]

  private static func text(of group: CommandGroup) -> String {
    var help = HelpText()
    help.add(paragraphs: group.summary)
    help.add("Usage: serialterm \(group.name) COMMAND ...")
    help.add(example: group.example)
    help.add(paragraphs: group.discussion)
    let members = Subcommands.all.map { $0.description }.filter {
      $0.name.hasPrefix("\(group.name) ")
    }
    help.add("COMMANDS", commands(members), indentation: 24)
    return help.text
  }

  /// All commands. Those whose names begin with the same word appear together.
  private static var allCommands: [(term: String, meaning: String)] {
    var terms: [(term: String, meaning: String)] = []
    for command in Subcommands.all.map({ $0.description }) where !command.isHidden {
      guard let group = groups.first(where: { command.name.hasPrefix("\($0.name) ") }) else {
        terms.append((command.name, command.summary))
        continue
      }
      if terms.last?.term != group.name { terms.append((group.name, group.summary)) }
    }
    return terms
  }

  private static func commands(
    _ descriptions: [CommandDescription]
  ) -> [(term: String, meaning: String)] {
    descriptions.filter { !$0.isHidden }.map { ($0.name, $0.summary) }
  }

  // MARK: Subjects

  private static var keys: String {
    var help = HelpText()
    help.add(
      paragraphs: """
        In a session, ctrl-t is the prefix for commands; --prefix selects another key. Pressed twice, it \
        is sent to the device. The pen, which some of them are about, is the right to type in a session that \
        several people share.
        """)
    help.add("KEYS, after ctrl-t", keyTerms, indentation: 8)
    help.add(
      "WITHOUT A KEY: press ctrl-t : and type the name",
      Command.all.filter { $0.key == nil }.map { ($0.name, $0.summary) }, indentation: 20)
    return help.text
  }

  private static var keyTerms: [(term: String, meaning: String)] {
    Command.all.compactMap { command in
      command.key.map { (String($0), "\(command.name): \(command.summary)") }
    }
  }

  private static var targets: String {
    var help = HelpText()
    help.add(paragraphs: "TARGET is the device, in one of these forms.")
    help.add("TARGET", targetForms, indentation: 28)
    return help.text
  }

  /// The forms of TARGET, for help and the manual.
  static let targetForms: [(term: String, meaning: String)] = [
    ("/dev/ttyUSB0, ttyUSB0", "A node, or any path that leads to one."),
    ("usb:VID:PID[:SERIAL]", "A USB adapter, by its numbers in hexadecimal."),
    ("serial:TEXT", "A USB adapter, by its serial number."),
    (
      "port:ID_PATH",
      "The device in this physical port; 'serialterm list --json' shows the path."
    ),
    (
      "latest",
      "The USB device, or other hot-pluggable device, that was plugged in last."
    ),
    ("new", "The next device that is plugged in."),
    (
      "rfc2217://HOST:PORT", "A port of a server (ser2net and others), with its settings and lines."
    ),
    ("rfc2217:///PATH", "The same at a Unix socket, such as one of 'serialterm serve'."),
    (
      "telnet://HOST:PORT",
      "A telnet server without RFC 2217 (console servers, QEMU, GNS3): bytes and breaks."
    ),
    ("tcp://HOST:PORT", "Bytes over TCP, without settings."),
    ("unix:PATH", "Bytes over a Unix socket, without settings."),
    ("ssh://[USER@]HOST/TARGET", "A port of another computer that has serialterm, through ssh."),
    (
      "labgrid:PLACE",
      "The console of a place of labgrid, through labgrid-client; it must be acquired."
    ),
    ("loopback:, loopback:board", "A simulated device that echoes, and a simulated board."),
    ("NAME", "A profile: see 'serialterm help profile'."),
  ]

  private static var exitStatus: String {
    var help = HelpText()
    help.add("EXIT STATUS", exitStatuses, indentation: 10)
    help.add(
      paragraphs: """
        'serialterm doctor' ends with 1 if it found something. 'serialterm release' ends with the status of \
        its command: 127 if it is not found, 126 if it cannot be run.
        """)
    return help.text
  }

  /// The meaning of each exit status, for help and the manual.
  static let exitStatuses: [(term: String, meaning: String)] = [
    ("0", "Done. If the input was a pipe or a file, the driver accepted every byte of it."),
    ("1", "Another failure."),
    ("2", "Wrong usage, or an error in the configuration."),
    ("3", "The device was not found."),
    ("4", "Permission denied."),
    ("5", "The device is busy."),
    ("6", "The device was lost."),
    ("7", "The log failed."),
    ("8", "The transfer failed."),
    ("9", "Standard output was closed."),
    ("10", "The expected text did not arrive in time."),
    ("128+N", "Ended by signal N."),
  ]
}

/// A group of commands whose names begin with the same word, with its own help text.
struct CommandGroup {
  let name: String
  let summary: String
  let discussion: String
  let example: String
}
