/// Everything that a user can do within a session: the one table that key handling, the list of
/// commands and their availability are made from.
enum Command: CaseIterable {
  case help
  case sendBreak
  case showConfiguration
  case localEcho
  case clearScreen
  case reconnect
  case quit
  case statistics

  /// What the table says about a command.
  struct Entry {
    /// The key after the prefix.
    let key: Character
    let name: String
    let title: String
    /// What must be so for the command to make sense.
    let needs: [Need]
  }

  var entry: Entry {
    switch self {
    case .help:
      Entry(key: "?", name: "help", title: "list the commands", needs: [])
    case .sendBreak:
      Entry(key: "b", name: "break", title: "send a break", needs: [.openPort, .sending])
    case .showConfiguration:
      Entry(key: "c", name: "configuration", title: "show the configuration", needs: [])
    case .localEcho:
      Entry(key: "e", name: "local-echo", title: "show what is typed, on or off", needs: [.sending])
    case .clearScreen:
      Entry(key: "l", name: "clear", title: "clear the screen", needs: [])
    case .reconnect:
      Entry(
        key: "n", name: "reconnect", title: "wait for a lost device, on or off", needs: [.openPort])
    case .quit:
      Entry(key: "q", name: "quit", title: "quit", needs: [])
    case .statistics:
      Entry(key: "s", name: "statistics", title: "show how much has passed", needs: [])
    }
  }

  /// The command of a key, if it has one.
  init?(key: UInt8) {
    let character = Character(Unicode.Scalar(key))
    guard let command = Self.allCases.first(where: { $0.entry.key == character }) else {
      return nil
    }
    self = command
  }
}
