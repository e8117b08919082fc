package import Patterns
package import Scrollback
package import TerminalWidgets
import TextStages
import TextTools
import Time

/// The search panel as a value, without the search itself: keys go in, lines of the
/// screen come out.
///
/// While the user types an expression, the panel lists the matches, the newest at the bottom. Enter
/// shows all lines around the selected one.
package struct SearchPanel {
  /// The effect of a key.
  package enum Outcome: Equatable {
    case unchanged
    /// The shown content has changed.
    case changed
    /// The expression has changed, and a new search has begun.
    case searched
    /// The user wants to write lines to a file.
    case write
    case closed
  }

  /// The lines that are listed.
  package enum Mode {
    /// The matches, while the expression is typed.
    case matches
    /// All lines.
    case lines
  }

  private let scrollback: Scrollback
  /// The title of the input line: "search", and the port if there are several.
  private let title: String
  private(set) var search: ScrollbackSearch
  private(set) var mode = Mode.matches
  /// Whether all lines were searched.
  var isComplete = false
  private var editor = LineEditor()
  private var pattern: Pattern?
  /// The error in the expression; nil if it is valid.
  private var problem: String?
  /// The selected line; nil to follow the newest one.
  private var selected: Int?
  /// The last visible line; nil to follow the newest one.
  private var bottom: Int?
  /// The number of visible lines.
  private var height = 1
  /// The number of columns that are hidden at the left.
  private var shift = 0
  /// The total number of bytes in the scrollback when the panel was opened.
  private let byteCountAtStart: Int
  private var text: LineText

  /// The number of columns by which the text moves to the side.
  private static let shiftStep = 20

  /// Creates a panel without an expression, which lists all lines.
  ///
  /// - Parameter port: the name of the port; nil if there is only one.
  package init(on scrollback: Scrollback, of port: String? = nil) {
    self.scrollback = scrollback
    text = scrollback.lineText()
    title = port.map { "search \($0)" } ?? "search"
    search = ScrollbackSearch(of: scrollback, for: nil)
    byteCountAtStart = scrollback.addedByteCount
  }

  /// The expression; empty for none.
  package var expression: String { editor.text }

  // MARK: Keys

  /// Handles a key.
  package mutating func handle(_ key: Key) -> Outcome {
    if case .control("c") = key { return .closed }
    if case .control("g") = key { return .closed }
    if let move = move(for: key) { return move }
    switch mode {
    case .matches: return handleInMatches(key)
    case .lines: return handleInLines(key)
    }
  }

  /// The keys that move in both modes.
  private mutating func move(for key: Key) -> Outcome? {
    switch key {
    case .named(.up, _), .control("p"): move(by: -1)
    case .named(.down, _), .control("n"): move(by: 1)
    case .named(.pageUp, _): move(by: -height)
    case .named(.pageDown, _): move(by: height)
    default: nil
    }
  }

  private mutating func handleInMatches(_ key: Key) -> Outcome {
    switch key {
    case .named(.escape, _): return .closed
    case .named(.enter, _):
      let match = selectedLine
      (mode, shift) = (.lines, 0)
      // Centres the match: as many lines follow it as precede it.
      selected = match
      bottom = match.map { min(scrollback.lines.upperBound - 1, $0 + height / 2) }
      return .changed
    case .paste(let bytes):
      _ = editor.handle(.paste(Array(bytes.prefix { !"\r\n".utf8.contains($0) })))
      return update()
    default:
      let before = editor.text
      let cursor = editor.cursor
      _ = editor.handle(key)
      if editor.text == before { return editor.cursor == cursor ? .unchanged : .changed }
      return update()
    }
  }

  private mutating func handleInLines(_ key: Key) -> Outcome {
    switch key {
    case .character("q"): return .closed
    case .character("w"): return .write
    case .named(.escape, _), .character("/"):
      mode = .matches
      selected = selectedLine
      return .changed
    case .character("n"): return moveToMatch(after: true)
    case .character("N"), .character("p"): return moveToMatch(after: false)
    case .character("k"): return move(by: -1)
    case .character("j"): return move(by: 1)
    case .character("b"): return move(by: -height)
    case .character(" "): return move(by: height)
    case .named(.home, _), .character("g"): return select(scrollback.lines.first)
    case .named(.end, _), .character("G"): return select(nil)
    case .named(.right, _): shift += Self.shiftStep
    case .named(.left, _): shift = max(0, shift - Self.shiftStep)
    default: return .unchanged
    }
    return .changed
  }

  /// Starts a search for the present expression. An invalid expression keeps the previous search.
  private mutating func update() -> Outcome {
    do throws(PatternError) {
      pattern = expression.isEmpty ? nil : try Pattern(searching: expression)
      problem = nil
    } catch {
      problem = error.reason
      return .changed
    }
    search = ScrollbackSearch(of: scrollback, for: pattern)
    isComplete = false
    (selected, bottom) = (nil, nil)
    return .searched
  }

  // MARK: Moving

  /// The selected line among the listed ones; nil if there is none.
  var selectedLine: Int? {
    let lines = scrollback.lines
    guard let selected else { return line(before: lines.upperBound) }
    let kept = max(selected, lines.lowerBound)
    return line(from: kept) ?? line(before: kept)
  }

  private func line(before number: Int) -> Int? {
    switch mode {
    case .matches: return search.match(before: number)
    case .lines:
      let lines = scrollback.lines
      return number > lines.lowerBound ? min(number, lines.upperBound) - 1 : nil
    }
  }

  private func line(from number: Int) -> Int? {
    switch mode {
    case .matches: return search.match(from: number)
    case .lines:
      let lines = scrollback.lines
      return number < lines.upperBound ? max(number, lines.lowerBound) : nil
    }
  }

  private mutating func select(_ line: Int?) -> Outcome {
    let before = (selected, bottom)
    selected = line
    if line == nil { bottom = nil }
    return before == (selected, bottom) ? .unchanged : .changed
  }

  private mutating func move(by distance: Int) -> Outcome {
    guard var line = selectedLine else { return .unchanged }
    let start = line
    for _ in 0..<abs(distance) {
      guard let next = distance < 0 ? self.line(before: line) : self.line(from: line + 1) else {
        break
      }
      line = next
    }
    // Lines that arrive from now on do not move the visible ones.
    if bottom == nil { bottom = scrollback.lines.upperBound - 1 }
    return line == start ? .unchanged : select(line)
  }

  private mutating func moveToMatch(after: Bool) -> Outcome {
    guard pattern != nil, let line = selectedLine else { return .unchanged }
    let match = after ? search.match(from: line + 1) : search.match(before: line)
    return match.map { select($0) } ?? .unchanged
  }

  // MARK: Drawing

  /// The lines of the screen.
  package mutating func content(
    on size: ScreenSize, usesAttributes: Bool
  ) -> PanelContent {
    // Leaves the row of the text above, and the first and last line of the panel. A third of
    // the screen keeps its text, because text that the panel scrolls away does not return
    // when it closes.
    height = max(1, min(size.rows - 3, max(5, size.rows * 2 / 3)))
    let lines = linesInView()
    let rows = rows(of: lines, width: size.columns)
    let header = header(width: size.columns)
    let footer = StyledLine(
      self.footer.truncated(toWidth: size.columns),
      usesAttributes ? .reversed : [])
    let list = rows.map {
      (usesAttributes ? $0 : StyledLine($0.text)).clipped(toWidth: size.columns)
    }
    let content = [header.line] + list + (size.rows > 2 ? [footer] : [])
    return PanelContent(content, cursorColumn: header.cursorColumn)
  }

  /// The numbers of the visible lines, the oldest first. The selected one is among them.
  private mutating func linesInView() -> [Int] {
    guard let selectedLine else { return [] }
    if selected == nil { bottom = nil }
    if let bottom, bottom < selectedLine { self.bottom = selectedLine }
    var view = lines(endingAt: bottom ?? scrollback.lines.upperBound)
    if let first = view.first, selectedLine < first {
      view = lines(from: selectedLine)
      bottom = view.last
    }
    // There may not be enough lines above to fill the height.
    if view.count < height, let last = view.last {
      view += lines(from: last + 1).prefix(height - view.count)
    }
    return view
  }

  private func lines(endingAt end: Int) -> [Int] {
    var result: [Int] = []
    var next = end + 1
    while result.count < height, let line = line(before: next) {
      result.append(line)
      next = line
    }
    return result.reversed()
  }

  private func lines(from start: Int) -> [Int] {
    var result: [Int] = []
    var next = start
    while result.count < height, let line = line(from: next) {
      result.append(line)
      next = line + 1
    }
    return result
  }

  private mutating func rows(of lines: [Int], width: Int) -> [StyledLine] {
    let selectedLine = selectedLine
    var row = SearchRow(width: width, pattern: pattern)
    row.hasDates = hasDates
    row.shift = mode == .lines ? shift : nil
    return lines.compactMap { number in
      scrollback.withLine(number) { line in
        text.with(line.bytes, isUTF8: line.isMark) {
          row.row(of: line, text: $0, isSelected: number == selectedLine)
        }
      }
    }
  }

  /// Whether the oldest line is from an earlier day.
  private var hasDates: Bool {
    let lines = scrollback.lines
    let day = { (number: Int) in
      scrollback.withLine(number) { line in
        let time = CalendarTime(local: line.time / 1_000)
        return [time.year, time.month, time.day]
      }
    }
    return !lines.isEmpty && day(lines.lowerBound) != day(lines.upperBound - 1)
  }

  // MARK: Words

  private func header(width: Int) -> (line: StyledLine, cursorColumn: Int?) {
    switch mode {
    case .lines: return (StyledLine(placeInWords.truncated(toWidth: width)), 0)
    case .matches:
      let note = (problem ?? matchesInWords).truncated(toWidth: width / 2)
      let view = LineEditorView(prompt: "\(title): ", width: width - note.displayWidth - 2)
      let row = view.row(of: editor)
      var line = StyledLine(row.text, .bold)
      line = line.padded(toWidth: max(30, row.text.displayWidth + 2))
      line.append(note, .dimmed)
      return (line.clipped(toWidth: width), row.cursorColumn)
    }
  }

  private var matchesInWords: String {
    let count = search.matchCount
    guard pattern != nil else { return count.counted("line") }
    let found = count == 1 ? "1 match" : "\(count.grouped) matches"
    return isComplete ? found : "\(found), searching"
  }

  /// The position of the selected line, and of its match: "line 17 of 2,000, match 3 of
  /// 12 of /err/".
  private var placeInWords: String {
    let lines = scrollback.lines
    guard let line = selectedLine else { return "no lines" }
    let place = "line \((line - lines.lowerBound + 1).grouped) of \(lines.count.grouped)"
    guard pattern != nil else { return place }
    let count = search.matchCount.grouped
    let rank = search.rank(of: line)
    let match =
      search.isMatch(line) ? "match \((rank + 1).grouped) of \(count)" : "\(count) matches"
    return "\(place), \(match) of /\(expression)/\(isComplete ? "" : ", searching")"
  }

  private var footer: String {
    let meanwhile = scrollback.addedByteCount - byteCountAtStart
    let dropped = scrollback.droppedByteCount
    let news = meanwhile > 0 ? "\(meanwhile.counted("byte")) came meanwhile. " : ""
    let loss = dropped > 0 ? "\(dropped.counted("older byte")) dropped. " : ""
    switch mode {
    case .matches: return "\(news)\(loss)Escape: close. Enter: all lines here. Arrows: select."
    case .lines: return "\(news)\(loss)q: close. n, N: other matches. w: write. /: search."
    }
  }
}

extension Pattern {
  /// Parses an expression that a user types for searching. Letters match in both cases, unless one
  /// of them is a capital ("smart case"). Letters after a backslash do not count.
  ///
  /// - Throws: ``PatternError``.
  package init(searching text: String) throws(PatternError) {
    var (hasCapital, isEscaped) = (false, false)
    for scalar in text.unicodeScalars {
      if !isEscaped, ("A"..."Z").contains(scalar) { hasCapital = true }
      isEscaped = scalar == "\\" && !isEscaped
    }
    let pattern = try Pattern(parsing: text)
    if hasCapital || text.hasPrefix("(?") {
      self = pattern
    } else {
      self = try Pattern(parsing: "(?i)" + text)
    }
  }
}
