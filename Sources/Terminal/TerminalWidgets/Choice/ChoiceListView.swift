import TextTools

/// Draws a list of choices: the query in the first line, the matching choices below.
///
/// Of the lines, only the selected one is padded to the edge of the screen. Many terminals reflow
/// lines when they become narrower. Each line that became two would push the text above into the
/// scrollback, where a program cannot erase it.
public struct ChoiceListView: Sendable {
  /// The text in front of the query.
  public let prompt: String
  /// The width of the screen, in columns.
  public let width: Int
  /// The number of lines, including the line of the query.
  public let height: Int
  /// Whether to use bold, dimmed, underlined and reversed text. Otherwise (`NO_COLOR`, or a simple
  /// terminal) marks replace these attributes.
  public let usesAttributes: Bool

  /// What keys do: the last line of a list that has room for it.
  private let keys: [String]

  /// The height from which a list has the line of keys.
  private static let heightWithKeys = 6
  /// The column of the number of matches, after a query that is not too long.
  private static let notePlace = 30
  /// The width of a screen that has room for the reasons why choices are unavailable.
  private static let roomyWidth = 80
  /// The minimum width of the column beside the titles. A narrower one is omitted.
  private static let leastSideWidth = 5
  /// The number of choices that are named where none of them matches.
  private static let namedCount = 12
  /// The number of choices that determine the widths of the columns. Measuring thousands
  /// takes too long.
  private static let measuredCount = 200

  /// Creates a view for a screen. It takes at most half of the screen, and leaves the row of
  /// the cursor free.
  ///
  /// - Parameter keys: what keys do, the most important first. Those that fit are shown.
  public init(
    prompt: String, on size: ScreenSize, usesAttributes: Bool = true, keys: [String] = []
  ) {
    self.prompt = prompt
    width = size.columns
    height = max(1, min(max(size.rows / 2, 3), size.rows - 1))
    self.usesAttributes = usesAttributes
    self.keys = keys
  }

  /// The number of visible choices of a list.
  public func visibleCount<ID>(of list: ChoiceList<ID>) -> Int {
    max(1, rowCount(for: list))
  }

  private func rowCount<ID>(for list: ChoiceList<ID>) -> Int {
    listHeight - 1 - reasonLines(of: list).count
  }

  /// The height without the line of keys.
  private var listHeight: Int { height - (keyLine == nil ? 0 : 1) }

  private var keyLine: StyledLine? {
    guard height >= Self.heightWithKeys else { return nil }
    let lines = keys.indices.map { keys[...$0].joined(separator: " · ") }
    return lines.last { $0.displayWidth <= width }.map {
      StyledLine($0, usesAttributes ? .dimmed : [])
    }
  }

  /// Whether a line below the rows is kept for the reason why the selected choice is unavailable,
  /// so that the rows do not move with each choice. In a narrow window, most reasons do not fit
  /// beside the titles.
  private func keepsReasonLine<ID>(for list: ChoiceList<ID>) -> Bool {
    width < Self.roomyWidth && listHeight >= 4 && list.choices.contains { !$0.isEnabled }
  }

  /// The lines for the screen, with the cursor at the end of the query.
  ///
  /// - Parameters:
  ///   - list: a list with ``visibleCount(of:)`` visible choices.
  ///   - takesTyped: whether Enter takes the query if nothing matches.
  ///   - remark: what the user may want to know if nothing matches; nil for the names of a few
  ///     choices.
  public func content<ID>(
    of list: ChoiceList<ID>, takesTyped: Bool = false, remark: String? = nil
  ) -> PanelContent {
    let columns = columns(of: list)
    let places = list.ranking.indices.dropFirst(list.firstVisible).prefix(rowCount(for: list))
    let (header, cursorColumn) = header(of: list)
    var rows = places.map { row(at: $0, of: list, columns) }
    if list.matchCount == 0, !list.choices.isEmpty, rowCount(for: list) > 0 {
      let text =
        takesTyped
        ? "not in the list; Enter takes it as typed"
        : "nothing matches" + (remark ?? names(of: list).map { ": \($0)" } ?? "")
      let line = StyledLine("  " + text, usesAttributes ? .dimmed : [])
      rows = [line.truncated(toWidth: width)]
    }
    let lines = [header] + rows + reasonLines(of: list) + [keyLine].compactMap(\.self)
    return PanelContent(lines, cursorColumn: cursorColumn)
  }

  /// The choices in words; nil if there are many.
  private func names<ID>(of list: ChoiceList<ID>) -> String? {
    guard list.choices.count <= Self.namedCount else { return nil }
    return "there is " + list.choices.map(\.title).joined(separator: ", ")
  }

  /// The columns for the rows that can be visible.
  private func columns<ID>(of list: ChoiceList<ID>) -> Columns {
    let places = list.ranking.indices.dropFirst(list.firstVisible).prefix(height)
    let measured = [places, list.ranking.indices.prefix(Self.measuredCount)].joined()
    return Columns(of: measured.map { list.choices[list.ranking[$0].index] }, width: width)
  }

  /// The whole reason why the selected choice is unavailable, where its row or the header
  /// cuts it off.
  private func reasonLines<ID>(of list: ChoiceList<ID>) -> [StyledLine] {
    let kept = keepsReasonLine(for: list) ? [StyledLine()] : []
    guard listHeight >= 4, let selected = list.selected, let reason = selected.reason else {
      return kept
    }
    let room = width - columns(of: list).sideStart
    let isCut =
      room < Self.leastSideWidth || selected.side.visibleForm.displayWidth > room
      || list.refusal != nil && !note(of: list).isWhole
    guard isCut || !kept.isEmpty else { return [] }
    let lines = StyledLine("  \(reason.visibleForm)").wrapped(toWidth: width, indentation: 4)
      .map { $0.clipped(toWidth: width) }
    guard lines.count > listHeight - 2 else { return lines }
    // A reason that is longer than the list: its beginning, with the mark of what is missing.
    let last = lines[listHeight - 3].text + " " + lines[listHeight - 2].text
    return lines.prefix(listHeight - 3) + [StyledLine(last.truncated(toWidth: width))]
  }

  /// The query with the column after it, then the number of matches or the reason of a refusal.
  private func header<ID>(of list: ChoiceList<ID>) -> (line: StyledLine, cursorColumn: Int) {
    let shownNote = note(of: list).text
    let room = max(0, width - shownNote.displayWidth - 2)
    let query = list.query.visibleForm
    let shownPrompt = prompt.truncated(
      toWidth: room - min(query.displayWidth, room / 2) - 1, ellipsis: "…: ")
    let shownQuery = query.suffix(ofWidth: room - shownPrompt.displayWidth)
    var line = StyledLine(shownPrompt, usesAttributes ? .bold : [])
    line.append(shownQuery)
    let cursorColumn = line.width
    // The note keeps its position while a word is typed.
    let place = max(Self.notePlace, cursorColumn + 2)
    line = line.padded(toWidth: min(place, width - shownNote.displayWidth), [])
    line.append(shownNote, usesAttributes ? (list.refusal == nil ? .dimmed : .bold) : [])
    return (line.clipped(toWidth: width), cursorColumn)
  }

  /// The number of matches, or the reason of a refusal, in the header.
  private func note<ID>(of list: ChoiceList<ID>) -> (text: String, isWhole: Bool) {
    let note = (list.refusal ?? "\(list.matchCount)/\(list.choices.count)").visibleForm
    // The user types at the end of the query, so the note must never hide that.
    let shown = note.truncated(toWidth: width * 2 / 3)
    return (shown, shown == note)
  }

  private func row<ID>(at place: Int, of list: ChoiceList<ID>, _ columns: Columns) -> StyledLine {
    let (index, match) = list.ranking[place]
    let choice = list.choices[index]
    let isSelected = place == list.selection
    var style: StyledLine.Style = []
    if usesAttributes {
      if isSelected { style.insert(.reversed) }
      if !choice.isEnabled { style.insert(.dimmed) }
    }
    var line = StyledLine(isSelected && !usesAttributes ? "> " : "  ", style)
    if columns.label > 0 {
      append(choice.label, match.label, columns.label, style, to: &line)
      line = line.padded(toWidth: columns.titleStart, style)
    }
    let side = choice.side
    let left = width - columns.sideStart
    if side.isEmpty || left < Self.leastSideWidth {
      append(choice.title, match.title, width - line.width, style, to: &line)
    } else {
      append(choice.title, match.title, columns.title, style, to: &line)
      line = line.padded(toWidth: columns.sideStart, style)
      append(side, choice.isEnabled ? match.detail : [], left, style, to: &line)
    }
    return (isSelected && usesAttributes ? line.padded(toWidth: width, style) : line)
      .clipped(toWidth: width)
  }

  /// Appends a text, at most `width` columns of it, with the matching characters in bold.
  private func append(
    _ text: String, _ found: Set<Int>, _ width: Int, _ style: StyledLine.Style,
    to line: inout StyledLine
  ) {
    let shown = text.visibleForm.truncated(toWidth: width)
    // The positions are wrong if control characters were made visible.
    let marks = usesAttributes && text.visibleForm == text ? found : []
    // The ellipsis may replace a matching character.
    let kept = shown == text ? shown.count : shown.count - 1
    var (piece, isFound) = ("", false)
    for (number, character) in shown.enumerated() {
      let isNextFound = number < kept && marks.contains(number)
      if isNextFound != isFound {
        line.append(piece, isFound ? style.union([.bold, .underlined]) : style)
        (piece, isFound) = ("", isNextFound)
      }
      piece.append(character)
    }
    line.append(piece, isFound ? style.union([.bold, .underlined]) : style)
  }

  /// The widths of the columns.
  private struct Columns {
    let label: Int
    let title: Int

    /// The column where titles begin, after the selection mark and the labels.
    var titleStart: Int { label > 0 ? 2 + label + 2 : 2 }
    var sideStart: Int { titleStart + title + 2 }

    /// Gives each column the width of its widest entry if they all fit. Values and reasons matter
    /// more than titles, which are shortened for them by up to a half.
    init<ID>(of choices: [Choice<ID>], width: Int) {
      let widest = { (text: (Choice<ID>) -> String) in
        choices.map { text($0).visibleForm.displayWidth }.max() ?? 0
      }
      label = min(widest(\.label), width / 3)
      let left = max(0, width - (label > 0 ? 2 + label + 2 : 2))
      let side = widest(\.side)
      let most = side > 0 ? max(left - 2 - side, left / 2) : left
      title = min(widest(\.title), most)
    }
  }
}
