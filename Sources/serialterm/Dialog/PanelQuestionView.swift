import TerminalUI

/// A question as a list in the lower lines of the screen, filtered as one types.
final class PanelQuestionView: QuestionView {
  private let question: Question
  private let console: Console
  private var list: ChoiceList<String>

  init(_ question: Question, on console: Console) {
    self.question = question
    self.console = console
    list = ChoiceList(question.choices(""))
  }

  func open() {
    console.screen.cover { [unowned self] in lines(on: $0) }
  }

  func handle(_ key: Key) -> ChoiceList<String>.Outcome {
    let outcome = list.handle(key)
    switch outcome {
    case .changed, .refused: refresh()
    case .unchanged, .cancelled, .chosen: break
    }
    return outcome
  }

  func refresh() {
    list.update(question.choices(list.query))
    console.screen.refresh()
  }

  func close() { console.screen.uncover() }

  private func lines(on size: ScreenSize) -> [StyledLine] {
    let view = ChoiceListView(
      prompt: "\(question.title): ", on: size, usesAttributes: console.outputStyle.isColoured)
    list.resize(visibleCount: view.visibleCount)
    return view.lines(of: list)
  }
}
