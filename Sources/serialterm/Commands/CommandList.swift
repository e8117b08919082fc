import TerminalUI

/// The list of the commands as the user sees it: what is off is dimmed, and says why.
struct CommandList {
  let state: TerminalState
  let prefix: PrefixKey

  /// The lines, without line ends.
  ///
  /// - Parameter columns: the screen's: where a line would not fit, it does without the words on
  ///   what the command does.
  func lines(style: TextStyle, columns: Int = .max) -> [String] {
    let commands = Command.allCases.filter { $0.entry.key != nil }
    let width = commands.map(\.title.count).max() ?? 0
    return ["commands: \(prefix), then"]
      + commands.map { command in
        switch command.availability(in: state) {
        case .enabled:
          line(of: command, command.value(in: state) ?? "", titleWidth: width, columns).harmless
        case .disabled(let reason):
          style.dimmed(
            line(of: command, "(off: \(reason))", titleWidth: width, columns).harmless)
        }
      } + ["  \(prefix) twice sends one; \(prefix) : has more, in a list to search"]
  }

  private func line(
    of command: Command, _ side: String, titleWidth: Int, _ columns: Int
  ) -> String {
    let key = "  \(command.entry.key ?? " ")  "
    let room = columns - key.count - (side.isEmpty ? 0 : side.count + 2)
    let title = command.title.count <= room ? command.title : command.entry.name
    guard !side.isEmpty else { return key + title }
    // Below each other for as long as they fit.
    let padding = max(0, min(titleWidth, room) - title.count) + 2
    return key + title + String(repeating: " ", count: padding) + side
  }

  /// The same as choices, for the palette; without the palette. What every user knows by its key
  /// comes last: in a small window only the first ones are in view.
  static func choices(in state: TerminalState) -> [Choice<String>] {
    let known: [Command] = [.help, .quit]
    let searched = Command.allCases.filter { $0 != .palette && !known.contains($0) }
    return (searched + known).map { command in
      let entry = command.entry
      let refusal: String? =
        switch command.availability(in: state) {
        case .enabled: nil
        case .disabled(let reason): reason
        }
      return Choice(
        id: entry.name, label: entry.key.map { "\($0)" } ?? "", title: command.title,
        detail: command.value(in: state) ?? "", refusal: refusal)
    }
  }
}
