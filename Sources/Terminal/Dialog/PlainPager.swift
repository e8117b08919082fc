import TerminalWidgets

/// A text that is printed in pages below each other, for a terminal that can only print,
/// and for `--plain`.
///
/// Space, Enter and page down print the next page; `q`, escape, ctrl-c and ctrl-g end the text. It
/// ends by itself after the last page.
final class PlainPager: Dialog {
  private var rest: ArraySlice<StyledLine>
  private let count: Int
  private let pageSize: Int
  private let console: Console
  private let onClose: () -> Void

  /// - Parameters:
  ///   - lines: the text. No line may be wider than the screen.
  ///   - rows: the height of the screen.
  ///   - onClose: called when the last page is printed, or the user ends it.
  package init(_ lines: [StyledLine], rows: Int, on console: Console, onClose: @escaping () -> Void)
  {
    rest = lines[...]
    count = lines.count
    // Leaves room for the line of keys and for the line of the cursor.
    pageSize = max(1, rows - 2)
    self.console = console
    self.onClose = onClose
  }

  package func open() { printPage() }

  package func handle(_ key: Key) {
    switch key {
    case .character(" "), .named(.enter, _), .named(.pageDown, _): printPage()
    case .character("q"), .named(.escape, _), .control("c"), .control("g"): onClose()
    case .character, .control, .alt, .named, .paste: break
    }
  }

  private func printPage() {
    let page = rest.prefix(pageSize)
    rest = rest.dropFirst(page.count)
    guard !rest.isEmpty else {
      console.answer(Array(page))
      return onClose()
    }
    let place = "\(count - rest.count - page.count + 1)-\(count - rest.count) of \(count)"
    console.answer(page + [StyledLine("\(place). Space: next. Escape: close.")])
  }

  package func refresh() {}
  package func close() {}
}
