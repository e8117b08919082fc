import EventLoop
import TerminalUI

/// Asks the user one question at a time. Meanwhile what is typed is the answer, and goes nowhere
/// else; the session goes on.
final class Dialogs {
  private let console: Console
  private let input: InputPump
  private lazy var reader = KeyReader(on: loop) { [unowned self] in handle($0) }
  private let loop: EventLoop
  private var question: Question?
  private var view: (any QuestionView)?
  /// Called when a question has come, or gone and what is typed is for somebody else again.
  var onChange: () -> Void = {}

  init(on console: Console, input: InputPump, loop: EventLoop) {
    self.console = console
    self.input = input
    self.loop = loop
  }

  var isOpen: Bool { question != nil }

  /// Asks a question, in place of one that is open.
  func ask(_ question: Question) {
    dismiss()
    self.question = question
    let view: any QuestionView =
      Console.kind == .drawing
      ? PanelQuestionView(question, on: console)
      : PlainQuestionView(question, on: console)
    self.view = view
    reader.reset()
    input.focus = { [unowned self] in reader.take($0) }
    onChange()
    view.open()
  }

  /// Shows the choices as they are now.
  func refresh() { view?.refresh() }

  /// Takes the question off the screen, unanswered: something else has come.
  func dismiss() {
    if isOpen { close() }
  }

  private func close() {
    let ended = question
    question = nil
    view?.close()
    view = nil
    input.focus = nil
    onChange()
    ended?.onEnd()
  }

  private func handle(_ key: Key) {
    guard let question, let view else { return }
    switch view.handle(key) {
    case .unchanged, .changed, .refused: break
    case .cancelled:
      close()
      question.onCancel()
    case .chosen(let answer):
      close()
      question.onAnswer(answer)
    }
  }
}

/// How a question looks.
protocol QuestionView: AnyObject {
  func open()
  func handle(_ key: Key) -> ChoiceList<String>.Outcome
  func refresh()
  func close()
}
