import Terminal
import TerminalWidgets
import TextTools

/// The list of all commands by their groups. What is unavailable is dimmed and last in its group,
/// with the reason.
///
/// A screen gets columns: on one page if that has room for all commands, otherwise first a page of
/// those that have a key, then the others. If the page has no room for them, what is unavailable
/// is among the others.
struct CommandList {
  let state: TerminalState
  let prefix: PrefixKey

  /// The column of the commands beside their group's title. On a narrow screen, the titles have
  /// lines of their own.
  private static let margin = (SessionCommandGroup.allCases.map(\.title.count).max() ?? 0) + 1
  private static let leastWidthBesideTitles = 60
  /// The width of a command in a list with several columns: key, name, and a few words.
  private static let leastCellWidth = 35
  /// The room for words from which a command shows its description and its value.
  private static let roomForBoth = 36
  /// The width of the descriptions where values follow them.
  private static let summaryWidth = 24
  /// The width of the names. Names of the configuration may be longer.
  private static let nameWidth = 16
  private static let indentation = 4

  // MARK: One line a command

  /// The list with one command per line, for output of unknown height.
  func lines(columns: Int = .max) -> [StyledLine] {
    let width = Command.all.map(\.title.count).max() ?? 0
    let lines =
      [header]
      + sections { _ in true }.flatMap { section in
        [StyledLine("\(section.title):")]
          + (section.available + section.off.flatMap(\.commands)).map { command in
            let title = "  \(key(of: command))  \(command.title)"
            let side = reason(of: command).map(Self.words) ?? command.value(state) ?? ""
            let padding = String(repeating: " ", count: max(0, width - command.title.count) + 2)
            return StyledLine(
              side.isEmpty ? title : title + padding + side,
              command.refusal(in: state) == nil ? [] : .dimmed)
          }
      } + [footer]
    return lines.flatMap { $0.wrapped(toWidth: columns, indentation: Self.indentation) }
  }

  private var header: StyledLine {
    StyledLine("Commands: press \(prefix), then the key. \(prefix) twice sends \(prefix).")
  }

  private var footer: StyledLine {
    StyledLine("Commands without a key are in the palette: \(prefix) :")
  }

  // MARK: Columns

  /// The list for the pages of a screen. It may have more lines than a page; blank lines then fill
  /// the page of the commands that have a key.
  func lines(on size: ScreenSize) -> [StyledLine] {
    let page = Dialogs.pageSize(on: size)
    let table = Table(list: self, width: size.columns)
    let introduction = StyledLine(header.text + " " + footer.text)
    let both = introduction.width <= size.columns ? [introduction] : [header, footer]
    let all = sections { _ in true }
    for count in table.columnCounts {
      let lines = table.wrapped(both) + table.rows(of: all, columns: count)
      if lines.count <= page { return lines }
    }
    var keyed = sections { $0.key != nil }
    var rest = sections { $0.key == nil }
    let introductionHeight = table.wrapped([header]).count
    if table.rows(of: keyed, onPagesOf: page - introductionHeight).count + introductionHeight > page
    {
      keyed = keyed.map { Section(title: $0.title, available: $0.available) }
      rest = zip(all, rest).map {
        Section(title: $0.title, available: $1.available, off: $0.off)
      }
    }
    let first =
      table.wrapped([header]) + table.rows(of: keyed, onPagesOf: page - introductionHeight)
    let missing = (page - first.count % page) % page
    return first + Array(repeating: StyledLine(), count: missing)
      + table.wrapped([footer]) + table.rows(of: rest, onPagesOf: page)
  }

  // MARK: Sections

  /// Some commands of a group.
  private struct Section {
    let title: String
    let available: [Command]
    /// The others, by their reasons.
    var off: [(reason: String, commands: [Command])] = []
  }

  private func sections(of isIncluded: (Command) -> Bool) -> [Section] {
    Command.groups(in: state).map { group, commands in
      let commands = commands.filter(isIncluded)
      var off: [(reason: String, commands: [Command])] = []
      for command in commands {
        guard let reason = reason(of: command) else { continue }
        if let place = off.firstIndex(where: { $0.reason == reason }) {
          off[place].commands.append(command)
        } else {
          off.append((reason, [command]))
        }
      }
      return Section(
        title: group.title, available: commands.filter { reason(of: $0) == nil }, off: off)
    }
  }

  private func key(of command: Command) -> String { command.key.map { "\($0)" } ?? " " }

  private func reason(of command: Command) -> String? { command.refusal(in: state)?.text }

  private static func words(for reason: String) -> String { "(off: \(reason))" }

  /// Draws sections in columns.
  private struct Table {
    let list: CommandList
    let width: Int

    private var hasTitlesBeside: Bool { width >= CommandList.leastWidthBesideTitles }
    private var margin: Int { hasTitlesBeside ? CommandList.margin : 0 }

    /// The possible numbers of columns.
    var columnCounts: ClosedRange<Int> {
      1...max(1, (width - margin) / CommandList.leastCellWidth)
    }

    func wrapped(_ lines: [StyledLine]) -> [StyledLine] {
      lines.flatMap { $0.wrapped(toWidth: width, indentation: min(indentation, width - 1)) }
    }

    /// The sections with the fewest columns that need the fewest pages.
    func rows(of sections: [Section], onPagesOf page: Int) -> [StyledLine] {
      let forms = columnCounts.map { rows(of: sections, columns: $0) }
      let pages = { (lines: [StyledLine]) in (lines.count + page - 1) / max(1, page) }
      return forms.min { pages($0) < pages($1) } ?? []
    }

    func rows(of sections: [Section], columns count: Int) -> [StyledLine] {
      let cellWidth = (width - margin) / count
      let shown = sections.flatMap(\.available).map(\.name.count)
      let nameWidth = min(shown.max() ?? 0, CommandList.nameWidth)
      return sections.flatMap { section in
        let cells = section.available.map { cell($0, nameWidth: nameWidth, width: cellWidth - 1) }
        let lines =
          columned(cells, count, cellWidth) + offLines(section.off, columns: count, cellWidth)
        return titled(section.title, lines)
      }
    }

    /// Puts the title of a section beside its first line, or above it.
    private func titled(_ title: String, _ lines: [StyledLine]) -> [StyledLine] {
      if lines.isEmpty { return [] }
      guard hasTitlesBeside else { return [StyledLine(title).clipped(toWidth: width)] + lines }
      return lines.enumerated().map { number, line in
        var whole = StyledLine(number == 0 ? title : "").padded(toWidth: margin)
        whole.append(line)
        return whole
      }
    }

    /// Arranges cells in columns, which are read from top to bottom.
    private func columned(_ cells: [StyledLine], _ count: Int, _ width: Int) -> [StyledLine] {
      let height = (cells.count + count - 1) / count
      return (0..<height).map { row in
        joined(stride(from: row, to: cells.count, by: height).map { cells[$0] }, width)
      }
    }

    /// Puts cells beside each other.
    private func joined(_ cells: [StyledLine], _ width: Int) -> StyledLine {
      cells.enumerated().reduce(into: StyledLine()) { line, cell in
        line = line.padded(toWidth: cell.offset * width)
        line.append(cell.element)
      }
    }

    /// Key, name and words of an available command: its description and its value if there is
    /// room for both, otherwise its value if that fits, otherwise its description.
    private func cell(_ command: Command, nameWidth: Int, width: Int) -> StyledLine {
      var line = StyledLine(list.key(of: command), .bold)
      line.append(" \(command.name)")
      line = line.padded(toWidth: nameWidth + 2)
      let room = width - line.width - 1
      let value = command.value(list.state) ?? ""
      var words = command.summary
      if !value.isEmpty {
        if words.isEmpty || room < roomForBoth && value.displayWidth <= room {
          words = value
        } else if room >= roomForBoth {
          words = words.padded(toWidth: summaryWidth) + " " + value
        }
      }
      if room > 1 { line.append(" " + words.visibleForm.truncated(toWidth: room)) }
      return line.clipped(toWidth: width)
    }

    /// What is unavailable: the commands with the same reason together, beside each other where
    /// they fit into the columns.
    private func offLines(
      _ off: [(reason: String, commands: [Command])], columns count: Int, _ width: Int
    ) -> [StyledLine] {
      var lines: [StyledLine] = []
      var beside: [StyledLine] = []
      func flush() {
        if !beside.isEmpty { lines.append(joined(beside, width)) }
        beside = []
      }
      for (reason, commands) in off {
        let names = commands.map { $0.key.map { "\($0) " } ?? "" }
        let first = commands[0].key == nil ? "  " : ""
        let text =
          first + zip(names, commands).map { $0 + $1.name }.joined(separator: ", ") + " "
          + CommandList.words(for: reason)
        let line = StyledLine(text, .dimmed)
        if line.width < width || count == 1 && line.width <= width {
          beside.append(line)
          if beside.count == count { flush() }
        } else {
          flush()
          let room = self.width - margin
          lines += line.wrapped(toWidth: room, indentation: min(indentation, room - 1))
        }
      }
      flush()
      return lines
    }
  }

  // MARK: Choices

  /// The number of commands that the palette shows first because they were used last.
  private static let usedCount = 5

  /// The commands as choices for the palette, without the palette itself: those that were used
  /// last, then the others by their groups. Commands whose keys every user knows come last.
  ///
  /// - Parameters:
  ///   - used: the names of the used commands, the latest first. Unknown names are ignored.
  ///   - typed: the text that the user searches for.
  static func choices(
    in state: TerminalState, used: [String] = [], typed: String = ""
  ) -> [Choice<Command>] {
    let known: [Command] = [.help, .quit]
    let others = state.commands.filter { $0 != .palette && !known.contains($0) }
    var first: [Command] = []
    for name in used where first.count < usedCount {
      guard let command = others.first(where: { $0.name == name }), !first.contains(command)
      else { continue }
      first.append(command)
    }
    let listed = first + others.filter { !first.contains($0) } + known
    let choices = listed.map { command in
      Choice(
        id: command, label: command.key.map { "\($0)" } ?? "", title: command.title,
        name: command.name, synonyms: command.synonyms, detail: command.value(state) ?? "",
        refusal: command.refusal(in: state)?.text)
    }
    return choices + (typed.isEmpty || !state.snippets.isEmpty ? [] : [.noSnippet])
  }
}

extension Choice<Command> {
  /// What a user finds who searches for snippets in a session without any.
  fileprivate static let noSnippet = Choice(
    id: Command(nil, "snippet", "", or: Snippet.synonyms) { _ in }, title: "snippet",
    synonyms: Snippet.synonyms, refusal: "there are none yet: see 'serialterm help snippets'")
}
