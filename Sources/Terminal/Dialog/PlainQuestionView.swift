import TerminalWidgets
import TextTools

/// A question as a numbered list that is printed once. The user answers with a number, a key or a
/// name, and Enter.
final class PlainQuestionView<Answer: Hashable>: Dialog {
  private let question: Question<Answer>
  private let console: Console
  private let answer: (Question<Answer>.Outcome) -> Void
  private var typed = ""
  /// The choices as they were printed, which determine the meaning of a number; nil while they are
  /// incomplete, and so not printed.
  private var printed: [Choice<Answer>]?
  /// The text that the printed choices are for.
  private var listed = ""
  /// Whether Enter waits for choices that are not complete yet.
  private var isEnterWaiting = false

  /// The maximum number of printed choices. The user can enter the names of the others.
  private static var printLimit: Int { 100 }

  package init(
    _ question: Question<Answer>, on console: Console,
    answer: @escaping (Question<Answer>.Outcome) -> Void
  ) {
    self.question = question
    self.console = console
    self.answer = answer
  }

  package func open() { print() }

  /// Prints the choices if they are complete.
  private func print() {
    // Incomplete choices are only read after they were requested.
    let choices = question.choices(listed)
    guard !question.isPending(listed) else { return }
    printed = Array(choices.prefix(Self.printLimit))
    let lines = PlainList(printed ?? []).lines().map { "  \($0)" }
    let rest = choices.count - lines.count
    console.answer(
      ["\(question.title): type \(question.expected), then Enter. Enter alone cancels."] + lines
        + (rest > 0 ? ["  \(rest.grouped) more: type the name"] : []))
    prompt()
  }

  /// Begins the line of the answer. It repeats the question, which may have scrolled away on
  /// a small screen.
  private func prompt() { console.echo("\(question.title): ") }

  private func cancel() {
    console.answer(["cancelled."])
    answer(.cancelled)
  }

  package func handle(_ key: Key) {
    isEnterWaiting = false
    switch key {
    case .character(let scalar): add(String(scalar))
    case .paste(let bytes):
      add(String(decoding: bytes.prefix { $0 >= 0x20 && $0 != 0x7F }, as: UTF8.self))
    case .named(.backspace, _):
      if let last = typed.popLast() {
        console.echo(String(repeating: "\u{8} \u{8}", count: "\(last)".harmless.displayWidth))
      }
    case .named(.enter, _): enter()
    case .named(.escape, _), .control("c"), .control("g"): cancel()
    case .control, .alt, .named: break
    }
  }

  private func add(_ text: String) {
    let room = ChoiceList<Answer>.queryLimit - typed.unicodeScalars.count
    let text = String(text.unicodeScalars.prefix(max(0, room)))
    typed += text
    console.echo(text.harmless)
  }

  private func enter() {
    guard let outcome = meaning else { return isEnterWaiting = true }
    switch outcome {
    case .chosen(let chosen):
      guard let text = question.continuation(chosen) else { return answer(.chosen(chosen)) }
      (printed, listed) = (nil, text)
      print()
    case .cancelled: return cancel()
    case .refused(_, let reason):
      let isTyped = question.choices(typed).contains { $0.isTyped && $0.refusal == reason }
      console.answer([
        isTyped ? "\(question.title): \(reason)." : Refusal.sentence(because: reason)
      ])
      prompt()
    case .unchanged, .changed:
      console.answer(["'\(typed)' is not in the list."])
      prompt()
    }
    typed = ""
  }

  /// The meaning of the answer in the present state, which may have changed since the list was
  /// printed; nil while the choices are incomplete.
  private var meaning: ChoiceList<Answer>.Outcome? {
    guard let printed else { return typed.isEmpty ? .cancelled : nil }
    switch PlainList(printed).answer(typed) {
    case .cancelled: return .cancelled
    case .chosen(let chosen), .refused(let chosen, _):
      return question.choices(listed).first { $0.id == chosen }?.outcome ?? .unchanged
    case .unchanged, .changed: break
    }
    let choices = question.choices(typed)
    guard !question.isPending(typed) else { return nil }
    let named =
      choices.first { [$0.name, $0.title, $0.label].contains(typed) }
      ?? choices.first { $0.synonyms.contains(typed.lowercased()) }
    return named?.outcome ?? question.answer(typed).map { .chosen($0) } ?? .unchanged
  }

  package func refresh() {
    // A printed list is not printed again.
    if printed == nil { print() }
    if isEnterWaiting { handle(.named(.enter)) }
  }

  package func close() {}

  func didClose() { question.onEnd() }
}

extension Choice {
  /// The outcome of choosing this choice.
  fileprivate var outcome: ChoiceList<ID>.Outcome {
    refusal.map { .refused(id, because: $0) } ?? .chosen(id)
  }
}
