import EventLoop
import TerminalWidgets

/// A question as a list in the lower lines of the screen, filtered as the user types.
///
/// Each search goes through the whole list, so keys take effect on the screen once per turn of the
/// loop, however many there are.
final class PanelQuestionView<Answer: Hashable>: Dialog {
  private let question: Question<Answer>
  private let console: Console
  private let loop: IOLoop
  private let answer: (Question<Answer>.Outcome) -> Void
  private var list: ChoiceList<Answer>
  private var isOpen = false
  private lazy var showing = Coalescer(on: loop) { [unowned self] in show() }
  /// Whether Enter waits for choices that are not complete yet.
  private var isEnterWaiting = false

  package init(
    _ question: Question<Answer>, on console: Console, loop: IOLoop,
    answer: @escaping (Question<Answer>.Outcome) -> Void
  ) {
    self.question = question
    self.console = console
    self.loop = loop
    self.answer = answer
    list = ChoiceList(question.choices(""))
  }

  package func open() {
    isOpen = true
    console.screen.cover { [unowned self] in content(on: $0) }
  }

  package func handle(_ key: Key) {
    isEnterWaiting = false
    if case .named(.enter, _) = key { return enter() }
    switch list.edit(key) {
    case .changed: showing.post()
    case .cancelled: answer(.cancelled)
    case .unchanged, .refused, .chosen: break
    }
  }

  private func enter() {
    list.update(question.choices(list.query))
    guard !question.isPending(list.query) else { return isEnterWaiting = true }
    switch list.handle(.named(.enter)) {
    case .chosen(let chosen):
      guard let text = question.continuation(chosen) else { return answer(.chosen(chosen)) }
      list.replaceQuery(text)
      show()
    case .unchanged:
      if list.selected == nil, let typed = question.answer(list.query) { answer(.chosen(typed)) }
    case .changed, .refused: show()
    case .cancelled: answer(.cancelled)
    }
  }

  package func refresh() {
    show()
    if isEnterWaiting { handle(.named(.enter)) }
  }

  /// Shows the present choices for the query.
  private func show() {
    guard isOpen else { return }
    list.update(question.choices(list.query))
    console.screen.refresh()
  }

  package func close() {
    isOpen = false
    console.screen.uncover()
  }

  func didClose() { question.onEnd() }

  private func content(on size: ScreenSize) -> PanelContent {
    let view = ChoiceListView(
      prompt: "\(question.title): ", on: size, usesAttributes: console.outputStyle.isColoured,
      keys: ["Enter \(question.enter)", "Esc closes", question.typing])
    list.resize(visibleCount: view.visibleCount(of: list))
    return view.content(
      of: list, takesTyped: question.answer(list.query) != nil, remark: question.remark)
  }
}
