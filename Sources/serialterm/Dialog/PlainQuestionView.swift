import TerminalUI

/// A question as a numbered list, for a terminal that can only print: the answer is a number, or
/// what would be chosen, and Enter.
final class PlainQuestionView: QuestionView {
  private let question: Question
  private let console: Console
  private var typed = ""
  /// The choices as they were printed: what a number stands for.
  private var printed: [Choice<String>] = []

  init(_ question: Question, on console: Console) {
    self.question = question
    self.console = console
  }

  func open() {
    printed = question.choices("")
    let list = PlainList(printed)
    console.answer(["\(question.title)? A number, and Enter:"] + list.lines().map { "  \($0)" })
  }

  func handle(_ key: Key) -> ChoiceList<String>.Outcome {
    switch key {
    case .character(let scalar):
      typed.unicodeScalars.append(scalar)
      console.echo("\(scalar)".harmless)
    case .named(.backspace, _):
      if let last = typed.popLast() {
        console.echo(String(repeating: "\u{8} \u{8}", count: "\(last)".harmless.displayWidth))
      }
    case .named(.enter, _): return answer()
    case .named(.escape, _), .control("c"), .control("g"): return .cancelled
    case .paste(let bytes):
      let text = String(decoding: bytes.prefix { $0 >= 0x20 }, as: UTF8.self)
      typed += text
      console.echo(text.harmless)
    case .control, .alt, .named: break
    }
    return .unchanged
  }

  private func answer() -> ChoiceList<String>.Outcome {
    defer { typed = "" }
    let outcome = meaning
    switch outcome {
    case .refused(let id, let reason): console.answer(["\(id) is off: \(reason)."])
    case .unchanged: console.answer(["'\(typed)' is none of them."])
    case .changed, .chosen, .cancelled: break
    }
    return outcome
  }

  /// What the answer leads to as things are now: they may have changed since the list was printed.
  private var meaning: ChoiceList<String>.Outcome {
    let numbered: String?
    switch PlainList(printed).answer(typed) {
    case .cancelled: return .cancelled
    case .chosen(let id), .refused(let id, _): numbered = id
    case .unchanged, .changed: numbered = nil
    }
    let meant = question.choices(numbered == nil ? typed : "").first {
      if let numbered { return $0.id == numbered }
      return [$0.id, $0.title, $0.label].contains(typed)
    }
    guard let meant else { return .unchanged }
    return meant.refusal.map { .refused(meant.id, because: $0) } ?? .chosen(meant.id)
  }

  // What has been printed stays as it is.
  func refresh() {}
  func close() {}
}
