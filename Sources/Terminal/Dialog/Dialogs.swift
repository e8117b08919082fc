package import EventLoop
import Observing
package import Scrollback
package import TerminalWidgets

/// Shows one dialog at a time: a question to the user, or a text in pages. The dialog gets the
/// keys; the session continues meanwhile.
package final class Dialogs: KeyReceiver {
  /// Whether a dialog is open, which gets the keys. An opening dialog that replaces another one is
  /// announced as a change to false and one to true.
  @Observed package private(set) var isOpen = false
  /// Whether lists are printed once, with numbers, instead of drawn. The reason is that the
  /// terminal can only print, or that the user prefers it: a screen reader reads printed text.
  package var isPlain: Bool

  private let console: Console
  private let loop: IOLoop
  private lazy var reader = KeyReader(on: loop) { [unowned self] in dialog?.handle($0) }
  private var dialog: (any Dialog)?
  /// Limits refreshing to ten times a second, unless it is urgent: a transfer changes the state
  /// with every piece.
  private lazy var refreshing = Coalescer(on: loop, interval: .milliseconds(100)) {
    [unowned self] in dialog?.refresh()
  }

  package init(on console: Console, loop: IOLoop) {
    self.console = console
    self.loop = loop
    isPlain = console.kind != .drawing
  }

  package func receive(typed bytes: UnsafeRawBufferPointer) -> Int { reader.receive(bytes) }

  /// Asks a question. It replaces the open dialog.
  package func ask<Answer>(_ question: Question<Answer>) {
    let answer: (Question<Answer>.Outcome) -> Void = { [unowned self] outcome in
      dismiss()
      switch outcome {
      case .cancelled: question.onCancel()
      case .chosen(let answer): question.onAnswer(answer)
      }
    }
    open(
      isPlain
        ? PlainQuestionView(question, on: console, answer: answer)
        : PanelQuestionView(question, on: console, loop: loop, answer: answer))
  }

  /// The number of lines of a text in pages that fit on a screen beside the line of keys.
  package static func pageSize(on size: ScreenSize) -> Int { max(1, size.rows - 2) }

  /// Shows a text in pages. It replaces the open dialog. See ``Pager``.
  package func show(_ lines: @escaping (ScreenSize) -> [StyledLine]) {
    open(Pager(lines, on: console) { [unowned self] in dismiss() })
  }

  /// Prints a text, in pages if it is longer than the screen. It replaces the open dialog.
  package func print(_ lines: [StyledLine], rows: Int) {
    if lines.count < rows { return console.answer(lines) }
    open(PlainPager(lines, rows: rows, on: console) { [unowned self] in dismiss() })
  }

  /// Shows a panel for searching a scrollback. It replaces the open dialog.
  ///
  /// - Parameters:
  ///   - port: the name of the port; nil if there is only one.
  ///   - onWrite: called when the user wants to write lines to a file. The panel stays open, and
  ///     can be shown again when another dialog has replaced it.
  package func search(
    _ scrollback: Scrollback, of port: String?, onWrite: @escaping (SearchDialog) -> Void
  ) {
    show(
      SearchDialog(
        scrollback, of: port, on: console, loop: loop, onWrite: onWrite,
        onClose: { [unowned self] in dismiss() }))
  }

  /// Shows a search again. It replaces the open dialog.
  package func show(_ search: SearchDialog) { open(search) }

  /// Gives a plot the keys. It replaces the open dialog, and stays on the screen afterwards.
  package func show(_ plot: PlotDisplay) { open(plot) }

  private func open(_ dialog: any Dialog) {
    dismiss()
    self.dialog = dialog
    reader.reset()
    isOpen = true
    dialog.open()
  }

  /// Shows the present state soon.
  ///
  /// - Parameter isUrgent: whether to show it at the end of this turn: anything but progress.
  package func refresh(isUrgent: Bool = false) {
    if isOpen { refreshing.post(isUrgent: isUrgent) }
  }

  /// Closes the open dialog. Its question stays unanswered.
  package func dismiss() {
    guard let dialog else { return }
    self.dialog = nil
    dialog.close()
    isOpen = false
    dialog.didClose()
  }
}

/// An object on the screen that gets the keys.
protocol Dialog: AnyObject {
  func open()
  func handle(_ key: Key)
  /// Updates the dialog after a change of the session's state.
  func refresh()
  func close()
  /// Called after ``close()``, when ``Dialogs/isOpen`` is false.
  func didClose()
}

extension Dialog {
  func didClose() {}
}
