import Terminal
import TerminalWidgets
import TextTools

/// The list of all commands. Unavailable commands are dimmed, and the reason is shown.
struct CommandList {
  let state: TerminalState
  let prefix: PrefixKey

  /// The width of a command in a list with several columns: key, name, and room for one more text.
  private static let cellWidth = 39
  private static let gap = 1
  /// The indentation of a command's second line, if it does not fit in one line.
  private static let indentation = 4

  /// The list with one command per line, for output of unknown height.
  func lines(columns: Int = .max) -> [StyledLine] {
    ([header] + longLines + [footer]).flatMap {
      $0.wrapped(toWidth: columns, indentation: Self.indentation)
    }
  }

  /// The list for a screen: one command per line if that fits, otherwise as many columns as fit.
  ///
  /// The list may have more lines than the screen.
  func lines(on size: ScreenSize) -> [StyledLine] {
    let long = [header] + longLines + [footer]
    if long.count < size.rows && long.allSatisfy({ $0.width <= size.columns }) { return long }
    return ([header] + shortLines(columns: size.columns) + [footer]).flatMap {
      $0.wrapped(toWidth: size.columns, indentation: Self.indentation)
    }
  }

  private var header: StyledLine {
    StyledLine("Commands: press \(prefix), then the key. \(prefix) twice sends \(prefix).")
  }

  private var footer: StyledLine {
    StyledLine("Run the commands without a key from the palette: \(prefix) :")
  }

  // MARK: One line a command

  private var longLines: [StyledLine] {
    let width = Command.all.map(\.title.count).max() ?? 0
    return state.commands.map { command in
      let title = "  \(key(of: command))  \(command.title)"
      let side = reason(of: command) ?? command.value(state) ?? ""
      let padding = String(repeating: " ", count: max(0, width - command.title.count) + 2)
      return StyledLine(side.isEmpty ? title : title + padding + side, style(of: command))
    }
  }

  // MARK: Several columns

  private func shortLines(columns: Int) -> [StyledLine] {
    let count = max(1, (columns + Self.gap) / (Self.cellWidth + Self.gap))
    guard count > 1 else { return shortCells }
    var lines: [StyledLine] = []
    // The number of occupied columns in each line.
    var used: [Int] = []
    for cell in shortCells {
      // Rounded up. A cell that is wider than the screen takes the whole line.
      let span = min(
        (cell.width + Self.cellWidth + 2 * Self.gap - 1) / (Self.cellWidth + Self.gap), count)
      // A narrow cell fills the room that a wide one has left.
      let place = used.firstIndex { $0 + span <= count } ?? used.count
      if place == used.count {
        lines.append(StyledLine())
        used.append(0)
      }
      var line = lines[place].padded(toWidth: used[place] * (Self.cellWidth + Self.gap))
      for run in cell.runs { line.append(run.text, run.style) }
      lines[place] = line
      used[place] += span
    }
    return lines
  }

  /// Key, name, and one more text for each command: the reason why it is unavailable; otherwise its
  /// value if that fits; otherwise its description.
  private var shortCells: [StyledLine] {
    let width = Command.all.map(\.name.count).max() ?? 0
    return state.commands.map { command in
      let padding = String(repeating: " ", count: max(0, width - command.name.count) + 1)
      let room = Self.cellWidth - max(width, command.name.count) - 3
      let value = command.value(state).flatMap { value in
        value.count <= room || command.summary.isEmpty ? value : nil
      }
      let words = reason(of: command) ?? value ?? command.summary
      return StyledLine("\(key(of: command)) \(command.name)\(padding)\(words)", style(of: command))
    }
  }

  // MARK: A command

  private func key(of command: Command) -> Character { command.key ?? " " }

  private func reason(of command: Command) -> String? {
    command.refusal(in: state).map { "(off: \($0.text))" }
  }

  private func style(of command: Command) -> StyledLine.Style {
    command.refusal(in: state) == nil ? [] : .dimmed
  }

  // MARK: Choices

  /// The commands as choices for the palette, without the palette itself. Commands whose keys every
  /// user knows come last, because a small window shows only the first choices.
  static func choices(in state: TerminalState) -> [Choice<Command>] {
    let known: [Command] = [.help, .quit]
    let searched = state.commands.filter { $0 != .palette && !known.contains($0) }
    return (searched + known).map { command in
      Choice(
        id: command, label: command.key.map { "\($0)" } ?? "", title: command.title,
        name: command.name, synonyms: command.synonyms, detail: command.value(state) ?? "",
        refusal: command.refusal(in: state)?.text)
    }
  }
}
