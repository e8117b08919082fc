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
    let query = list.query
    let outcome = list.handle(key)
    switch outcome {
    case .changed, .refused: show(isSearching: list.query != query)
    case .unchanged, .cancelled, .chosen: break
    }
    return outcome
  }

  func refresh() { show(isSearching: false) }

  private func show(isSearching: Bool) {
    list.update(question.choices(list.query))
    if isSearching { list.selectBest() }
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
