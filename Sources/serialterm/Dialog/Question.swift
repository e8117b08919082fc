import TerminalUI

/// A question to the user: a list of choices, each of which stands for an answer.
///
/// Where choosing nothing is a choice of its own ("no change"), the answer is an optional value.
struct Question<Answer: Hashable> {
  /// What the user did.
  enum Outcome {
    case chosen(Answer)
    case cancelled
  }

  let title: String
  /// The choices for the text typed so far. Called again when the text or the state changes: a
  /// choice that is off stays in the list and says why.
  var choices: (_ typed: String) -> [Choice<Answer>]
  /// Whether the choices for a text are not complete yet: Enter waits for them. Call
  /// ``Dialogs/refresh()`` when they are.
  var isPending: (_ typed: String) -> Bool = { _ in false }
  /// The text with which the question continues when a choice is made, as with a folder; nil when the
  /// choice is the answer.
  var continuation: (Answer) -> String? = { _ in nil }
  /// The answer that a typed text stands for when it matches no choice; nil for none.
  var answer: (_ typed: String) -> Answer? = { _ in nil }
  /// Called with the answer when the question is off the screen.
  let onAnswer: (Answer) -> Void
  /// Called when the user chooses nothing.
  var onCancel: () -> Void = {}
  /// Called first, also when another dialog has taken the place of the question.
  var onEnd: () -> Void = {}
}

extension Choice {
  /// A value of a setting.
  init(_ value: ID, _ text: String, isCurrent: Bool) {
    self.init(id: value, title: text, detail: isCurrent ? "now" : "", isCurrent: isCurrent)
  }

  /// The first choice where several things can be switched and none is the present value: Enter alone
  /// changes nothing.
  ///
  /// - Parameter state: the present state, in words.
  static func noChange<Value>(_ state: String) -> Choice where ID == Value? {
    Choice(id: nil, title: "no change", detail: state, isCurrent: true)
  }
}

extension Question {
  /// The question with all choices off, for the same reason, while a condition is not met.
  func whileMet(_ needs: [Need], in model: TerminalStateModel) -> Question {
    var question = self
    question.choices = { [unowned model, choices] typed in
      guard let reason = needs.unmet(in: model.state) else {
        return choices(typed)
      }
      return choices(typed).map { choice in
        var choice = choice
        choice.refusal = reason
        return choice
      }
    }
    return question
  }
}
