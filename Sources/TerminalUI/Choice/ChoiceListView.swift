/// A list of choices as lines of text: the query above, the choices that match below.
public struct ChoiceListView: Sendable {
  /// What is shown in front of the query.
  public let prompt: String
  /// The columns of the screen.
  public let width: Int
  /// How many lines there are, the one with the query included.
  public let height: Int
  /// Whether lines may be set off by bold, dimmed, underlined and reversed text. Without, as NO_COLOR
  /// or a simple terminal asks for, marks say the same.
  public let usesAttributes: Bool

  /// The most lines that a list takes.
  public static let heightLimit = 12
  /// The fewest columns in which something at the side can be said.
  private static let leastSideWidth = 5

  /// Creates a view for a screen: no more than half of it, and what fits below the cursor.
  public init(prompt: String, on size: ScreenSize, usesAttributes: Bool = true) {
    self.prompt = prompt
    width = size.columns
    height = max(1, min(Self.heightLimit, max(size.rows / 2, 3), size.rows - 1))
    self.usesAttributes = usesAttributes
  }

  /// How many choices are in view at once.
  public var visibleCount: Int { max(1, height - 1) }

  /// The lines, none wider than the screen.
  ///
  /// - Parameter list: with as many choices in view as ``visibleCount`` says.
  public func lines<ID>(of list: ChoiceList<ID>) -> [StyledLine] {
    let columns = Columns(of: list, width: width)
    let places = list.ranking.indices.dropFirst(list.firstVisible).prefix(height - 1)
    return [header(of: list)] + places.map { row(at: $0, of: list, columns) }
  }

  /// The query and the place where typing goes on; at the right how many match, or why the choice
  /// was refused.
  private func header<ID>(of list: ChoiceList<ID>) -> StyledLine {
    let note = list.refusal ?? "\(list.matchCount)/\(list.choices.count)"
    // The end of the query is what is being typed: it is never pushed out by the note.
    let shownNote = note.visibleForm.truncated(toWidth: width * 2 / 3)
    let room = max(0, width - shownNote.displayWidth - 2)
    let query = list.query.visibleForm
    let shownPrompt = prompt.truncated(toWidth: room - min(query.displayWidth, room / 2) - 1)
    let shownQuery = query.suffix(ofWidth: room - shownPrompt.displayWidth)
    var line = StyledLine(shownPrompt, usesAttributes ? .bold : [])
    line.append(shownQuery)
    line.append(usesAttributes ? " " : "_", usesAttributes ? .reversed : [])
    line = line.padded(toWidth: width - shownNote.displayWidth, [])
    line.append(shownNote, usesAttributes ? (list.refusal == nil ? .dimmed : .bold) : [])
    return line.clipped(toWidth: width)
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
    if isSelected && usesAttributes { line = line.padded(toWidth: width, style) }
    return line.clipped(toWidth: width)
  }

  /// Adds a text in no more than so many columns, with the characters that were found set off.
  private func append(
    _ text: String, _ found: Set<Int>, _ width: Int, _ style: StyledLine.Style,
    to line: inout StyledLine
  ) {
    let shown = text.visibleForm.truncated(toWidth: width)
    // What was made visible is not where it was found any more; such a text is not set off.
    let marks = usesAttributes && text.visibleForm == text ? found : []
    // The ellipsis stands in place of what may have been found.
    let kept = shown == text ? shown.count : shown.count - 1
    for (number, character) in shown.enumerated() {
      let isFound = number < kept && marks.contains(number)
      line.append(String(character), isFound ? style.union([.bold, .underlined]) : style)
    }
  }

  /// How the columns share the width.
  private struct Columns {
    let label: Int
    let title: Int

    /// Where the titles begin: after the mark of the selected one, and the labels.
    var titleStart: Int { label > 0 ? 2 + label + 2 : 2 }
    var sideStart: Int { titleStart + title + 2 }

    /// As wide as the widest entry that matches, as far as all of it fits; what stands at the side
    /// is news, and titles are shortened for it, down to a half.
    init<ID>(of list: ChoiceList<ID>, width: Int) {
      let matching = list.matching
      let widest = { (text: (Choice<ID>) -> String) in
        matching.map { text($0).visibleForm.displayWidth }.max() ?? 0
      }
      label = min(widest(\.label), width / 3)
      let left = max(0, width - (label > 0 ? 2 + label + 2 : 2))
      let side = widest(\.side)
      let most = side > 0 ? max(left - 2 - side, left / 2) : left
      title = min(widest(\.title), most)
    }
  }
}

extension Choice {
  /// What stands beside the title.
  fileprivate var side: String { refusal.map { "(off: \($0))" } ?? detail }
}

extension String {
  /// The longest end that takes no more than so many columns.
  fileprivate func suffix(ofWidth width: Int) -> String {
    String(String(reversed()).prefix(ofWidth: width).reversed())
  }
}
