import EventLoop
import Patterns
import Scrollback
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Lets the user search the received text of the port with the focus, and write it to a file.
final class SearchQuestions {
  /// Writes files that the user asks for.
  let saver: FileSaver
  private let focus: PortFocus
  private let dialogs: Dialogs
  private let console: Console
  private let loop: IOLoop
  /// The search whose matches will be printed.
  private var printedSearch: PrintedSearch?

  init(of focus: PortFocus, with dialogs: Dialogs, on console: Console, loop: IOLoop) {
    (self.focus, self.dialogs, self.console, self.loop) = (focus, dialogs, console, loop)
    saver = FileSaver(on: console, dialogs: dialogs, loop: loop)
  }

  /// Opens the search in the received text.
  func openSearch() {
    guard let scrollback = focus.port.scrollback else { return }
    if dialogs.isPlain { return askForExpression(in: scrollback) }
    dialogs.search(scrollback, of: focus.port.name) { [unowned self] dialog in
      // The search is hidden while the questions are asked.
      askWhatToWrite(of: dialog.search) { [unowned self] in dialogs.show(dialog) }
    }
  }

  /// Asks for an expression, and prints the matches in pages.
  private func askForExpression(in scrollback: Scrollback) {
    let question = Question<String>(
      title: "search", expected: "a regular expression",
      choices: { typed in
        if typed.isEmpty { return [] }
        do throws(PatternError) {
          _ = try Pattern(searching: typed)
          return [.typed(typed)]
        } catch {
          return [.typed(typed, complaint: "\(error)")]
        }
      },
      onAnswer: { [unowned self] expression in
        // Another expression is not among the choices.
        guard let pattern = try? Pattern(searching: expression) else { return }
        searchAndPrint(ScrollbackSearch(of: scrollback, for: pattern), for: pattern)
      })
    dialogs.ask(question)
  }

  private func searchAndPrint(_ search: ScrollbackSearch, for pattern: Pattern) {
    printedSearch = PrintedSearch(search, on: loop) { [unowned self] in
      printedSearch = nil
      let size = console.screen.textSize
      let row = SearchRow(width: size.columns, pattern: pattern)
      let count = search.matchCount
      dialogs.print(
        row.rows(of: search) + [
          StyledLine(count == 1 ? "1 match." : "\(count.grouped) matches.")
        ],
        rows: size.rows)
    }
  }

  // MARK: Writing

  /// The text to write to a file.
  private enum Content: Hashable {
    case matches, lines, bytes
  }

  /// Asks which part of the received text to write to which file.
  func askWhatToWrite() {
    guard let scrollback = focus.port.scrollback else { return }
    askWhatToWrite(of: ScrollbackSearch(of: scrollback, for: nil)) {}
  }

  /// - Parameter afterwards: called when the file is being written, or when the user has cancelled.
  private func askWhatToWrite(
    of search: ScrollbackSearch, afterwards: @escaping () -> Void
  ) {
    let scrollback = search.scrollback
    dialogs.ask(
      Question<Content>(
        title: "write",
        choices: { _ in
          let matches = Choice(
            id: Content.matches, title: "matching lines with their times",
            detail: search.matchCount.counted("line"))
          return (search.hasPattern ? [matches] : []) + [
            Choice(
              id: .lines, title: "all lines with their times",
              detail: scrollback.lines.count.counted("line")),
            Choice(
              id: .bytes, title: "all bytes as they were received",
              detail: scrollback.byteCount.counted("byte")),
          ]
        },
        onAnswer: { [unowned self] content in
          let lines =
            content == .matches ? ScrollbackCopy(of: search) : ScrollbackCopy(of: scrollback)
          let form: ScrollbackCopy.Form = content == .bytes ? .bytes : .text
          askForNewFile(for: lines, as: form, afterwards: afterwards)
        },
        onCancel: afterwards))
  }

  private func askForNewFile(
    for lines: ScrollbackCopy, as form: ScrollbackCopy.Form, afterwards: @escaping () -> Void
  ) {
    dialogs.ask(
      .newFile(
        "write to", on: loop, update: { [unowned self] in dialogs.refresh(isUrgent: true) },
        onAnswer: { [unowned self] path in
          saver.save(to: path) { put throws(Errno) in try lines.write(as: form, to: put) }
          afterwards()
        },
        onCancel: afterwards))
  }
}
