import EventLoop
import Observing
package import Scrollback
package import TerminalWidgets
import Time

/// The panel for searching a scrollback. The session continues, and lines that arrive meanwhile
/// are searched too.
package final class SearchDialog: Dialog {
  private let scrollback: Scrollback
  private let console: Console
  private let loop: IOLoop
  private var panel: SearchPanel
  private let onWrite: (SearchDialog) -> Void
  private let onClose: () -> Void
  private var isOpen = false
  /// Shows what the device sends; nil while the dialog is closed.
  private var additions: ObservationToken<Void>?
  /// Continues the search in the next turn of the loop.
  private var nextStep: LoopTimer?
  /// Shows the progress of the search while nothing is typed.
  private lazy var showing = Coalescer(on: loop, interval: .milliseconds(100)) {
    [unowned self] in advance()
  }

  /// The time that other events wait for a step of the search.
  static let stepTime = Duration.milliseconds(10)

  /// - Parameters:
  ///   - port: the name of the port; nil if there is only one.
  ///   - onWrite: called when the user wants to write lines to a file. The dialog stays open.
  ///   - onClose: called when the user closes the dialog.
  init(
    _ scrollback: Scrollback, of port: String?, on console: Console, loop: IOLoop,
    onWrite: @escaping (SearchDialog) -> Void, onClose: @escaping () -> Void
  ) {
    self.scrollback = scrollback
    self.console = console
    self.loop = loop
    self.onWrite = onWrite
    self.onClose = onClose
    panel = SearchPanel(on: scrollback, of: port)
  }

  /// The present search.
  package var search: ScrollbackSearch { panel.search }

  package func open() {
    isOpen = true
    additions = scrollback.additions.observe { [unowned self] in showing.post() }
    console.screen.cover { [unowned self] size in
      panel.content(on: size, usesAttributes: console.outputStyle.isColoured)
    }
    advance()
  }

  package func close() {
    isOpen = false
    nextStep = nil
    additions = nil
    showing.cancel()
    console.screen.uncover()
  }

  package func refresh() {}

  package func handle(_ key: Key) {
    switch panel.handle(key) {
    case .unchanged: break
    case .changed: console.screen.refresh()
    case .searched: advance()
    case .write: onWrite(self)
    case .closed: onClose()
    }
  }

  /// Searches for a limited time, and shows the matches.
  private func advance() {
    guard isOpen else { return }
    searchOn()
    console.screen.refresh()
  }

  private func searchOn() {
    let deadline = MonotonicTime.now + Self.stepTime
    panel.isComplete = panel.search.search(until: { MonotonicTime.now >= deadline })
    nextStep =
      panel.isComplete
      ? nil
      : loop.schedule(after: .zero) { [unowned self] in
        searchOn()
        panel.isComplete ? console.screen.refresh() : showing.post()
      }
  }
}
