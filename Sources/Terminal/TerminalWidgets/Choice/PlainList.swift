import TextTools

/// A list of choices as numbered lines that are printed once. The answer is a number.
public struct PlainList<ID: Hashable> {
  public let choices: [Choice<ID>]

  /// Creates a list. The choices are numbered from 1.
  public init(_ choices: [Choice<ID>]) { self.choices = choices }

  /// The lines, truncated to a width if one is given.
  public func lines(width: Int? = nil) -> [String] {
    let numbers = choices.indices.map { "\($0 + 1)" }
    let numberWidth = numbers.last?.count ?? 0
    let labelWidth = choices.map(\.label.visibleForm.displayWidth).max() ?? 0
    let titleWidth = choices.map(\.title.visibleForm.displayWidth).max() ?? 0
    return zip(numbers, choices).map { number, choice in
      let side = choice.side
      var line = String(repeating: " ", count: numberWidth - number.count) + number + ")"
      if labelWidth > 0 { line += " " + choice.label.visibleForm.padded(toWidth: labelWidth) }
      line += " " + choice.title.visibleForm.padded(toWidth: side.isEmpty ? 0 : titleWidth)
      if !side.isEmpty { line += "  " + side.visibleForm }
      return width.map { line.truncated(toWidth: $0) } ?? line
    }
  }

  /// Interprets an answer: a number chooses, an empty line cancels.
  ///
  /// - Returns: `.unchanged` for any other text: ask again.
  public func answer(_ text: String) -> ChoiceList<ID>.Outcome {
    let text = text.filter { !$0.isWhitespace }
    if text.isEmpty { return .cancelled }
    guard let number = Int(text), number > 0, number <= choices.count else { return .unchanged }
    let choice = choices[number - 1]
    return choice.refusal.map { .refused(choice.id, because: $0) } ?? .chosen(choice.id)
  }
}

extension PlainList: Sendable where ID: Sendable {}
