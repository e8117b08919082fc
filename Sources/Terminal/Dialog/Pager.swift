import TerminalWidgets

/// A text in pages, on the alternate screen if the terminal has one, otherwise below the cursor. It
/// follows the state while it is open.
///
/// Space, Enter and page down show the next page, and close the last one. The arrows move by a
/// line, page up moves by a page. `q`, escape, ctrl-c and ctrl-g close the text.
final class Pager: Dialog {
  private let text: (ScreenSize) -> [StyledLine]
  private let console: Console
  private let onClose: () -> Void
  private var first = 0
  private var lineCount = 0
  private var pageSize = 1

  /// - Parameters:
  ///   - text: the lines for a screen.
  ///   - onClose: called when the user closes it.
  package init(
    _ text: @escaping (ScreenSize) -> [StyledLine], on console: Console,
    onClose: @escaping () -> Void
  ) {
    self.text = text
    self.console = console
    self.onClose = onClose
  }

  package func open() {
    console.screen.coverWhole { [unowned self] in page(on: $0) }
  }

  package func refresh() { console.screen.refresh() }

  package func close() { console.screen.uncover() }

  package func handle(_ key: Key) {
    switch key {
    case .character(" "), .named(.enter, _), .named(.pageDown, _):
      if isLast { return onClose() }
      first += pageSize
    case .character("b"), .named(.pageUp, _): first -= pageSize
    case .named(.down, _), .control("n"): if !isLast { first += 1 }
    case .named(.up, _), .control("p"): first -= 1
    case .named(.home, _): first = 0
    case .named(.end, _): first = lineCount - pageSize
    case .character("q"), .named(.escape, _), .control("c"), .control("g"): return onClose()
    case .character, .control, .alt, .named, .paste: return
    }
    console.screen.refresh()
  }

  /// Whether the last line of the text is shown.
  private var isLast: Bool { first + pageSize >= lineCount }

  /// The lines that fit below the last row of text. The last line lists the keys. The cursor is at
  /// the first line.
  private func page(on size: ScreenSize) -> PanelContent {
    let lines = text(size)
    lineCount = lines.count
    let newSize = Dialogs.pageSize(on: size)
    // Another size of the window makes other pages.
    if newSize != pageSize { first -= first % newSize }
    pageSize = newSize
    // The last page may be short, so that no line of the page before is shown again.
    first = first < lineCount ? max(0, first) : max(0, lineCount - pageSize)
    let page = lines.dropFirst(first).prefix(pageSize)
    let place = page.count < lineCount ? "\(first + 1)-\(first + page.count) of \(lineCount). " : ""
    let keys = StyledLine(
      "\(place)\(isLast ? "" : "Space: next. ")Escape: close.",
      console.outputStyle.isColoured ? .reversed : [])
    return PanelContent(page + [keys], cursorColumn: 0)
  }
}
