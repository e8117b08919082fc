package import EventLoop
package import TerminalWidgets

/// Shows one dialog at a time: a question to the user, or a text in pages. The dialog gets the keys; the session
/// continues meanwhile.
package final class Dialogs {
  /// Called when a dialog has opened or closed.
  package var onChange: () -> Void = {}
  /// Whether lists are printed once, with numbers, instead of drawn. The reason is that the terminal can only print,
  /// or that the user prefers it: a screen reader reads printed text.
  package var isPlain: Bool

  private let console: Console
  private let directKeys: (_ receiver: ((UnsafeRawBufferPointer) -> Int)?) -> Void
  private let loop: IOLoop
  private lazy var reader = KeyReader(on: loop) { [unowned self] in dialog?.handle($0) }
  private var dialog: (any Dialog)?
  /// Called when the open dialog has closed.
  private var onEnd: () -> Void = {}
  /// Limits refreshing to ten times a second: a transfer changes the state with every piece.
  private lazy var refreshing = Coalescer(on: loop, interval: .milliseconds(100)) {
    [unowned self] in dialog?.refresh()
  }

  /// - Parameter directKeys: gives typed bytes to a receiver, which returns the number of bytes that it took; nil: to
  ///   nobody who asks.
  package init(
    on console: Console, loop: IOLoop,
    directKeys: @escaping (_ receiver: ((UnsafeRawBufferPointer) -> Int)?) -> Void
  ) {
    self.console = console
    self.directKeys = directKeys
    self.loop = loop
    isPlain = console.kind != .drawing
  }

  package var isOpen: Bool { dialog != nil }

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
        : PanelQuestionView(question, on: console, loop: loop, answer: answer),
      onEnd: question.onEnd)
  }

  /// Shows a text in pages. It replaces the open dialog. See ``Pager``.
  package func show(_ lines: @escaping (ScreenSize) -> [StyledLine]) {
    open(Pager(lines, on: console) { [unowned self] in dismiss() })
  }

  /// Prints a text, in pages if it is longer than the screen. It replaces the open dialog.
  package func print(_ lines: [StyledLine], rows: Int) {
    if lines.count < rows { return console.answer(lines) }
    open(PlainPager(lines, rows: rows, on: console) { [unowned self] in dismiss() })
  }

  /// Shows a search. It replaces the open dialog.
  package func show(_ search: SearchDialog, onEnd: @escaping () -> Void = {}) {
    search.onClose = { [unowned self] in dismiss() }
    open(search, onEnd: onEnd)
  }

  /// Gives a plot the keys. It replaces the open dialog, and stays on the screen afterwards.
  package func show(_ plot: PlotDisplay) { open(plot) }

  private func open(_ dialog: any Dialog, onEnd: @escaping () -> Void = {}) {
    dismiss()
    self.dialog = dialog
    self.onEnd = onEnd
    reader.reset()
    directKeys { [unowned self] in reader.take($0) }
    onChange()
    dialog.open()
  }

  /// Shows the present state soon.
  ///
  /// - Parameter isUrgent: whether the user waits for it.
  package func refresh(isUrgent: Bool = false) {
    if isOpen { refreshing.post(isUrgent: isUrgent) }
  }

  /// Closes the open dialog. Its question stays unanswered.
  package func dismiss() {
    guard let dialog else { return }
    let onEnd = onEnd
    self.dialog = nil
    self.onEnd = {}
    dialog.close()
    directKeys(nil)
    onChange()
    onEnd()
  }
}

/// An object on the screen that gets the keys.
protocol Dialog: AnyObject {
  func open()
  func handle(_ key: Key)
  /// Updates the dialog after a change of the session's state.
  func refresh()
  func close()
}
