/// The list of the commands as the user sees it: what is off is dimmed, and says why.
struct CommandList {
  let state: TerminalState
  let prefix: PrefixKey

  /// The lines, without line ends.
  func lines(style: TextStyle) -> [String] {
    let width = Command.allCases.map(\.entry.title.count).max() ?? 0
    return ["commands: \(prefix), then"]
      + Command.allCases.map { command in
        let entry = command.entry
        let line = "  \(entry.key)  \(entry.title)"
        switch command.availability(in: state) {
        case .enabled: return line
        case .disabled(let reason):
          let padding = String(repeating: " ", count: width - entry.title.count + 2)
          return style.dimmed("\(line)\(padding)(off: \(reason))")
        }
      } + ["  \(prefix) again sends \(prefix) to the device"]
  }
}
