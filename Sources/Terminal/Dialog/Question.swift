package import TerminalWidgets

/// A question to the user: a list of choices, each of which stands for an answer.
///
/// If choosing nothing is a choice of its own ("no change"), the answer is an optional value.
package struct Question<Answer: Hashable> {
  /// The user's action.
  enum Outcome {
    case chosen(Answer)
    case cancelled
  }

  package let title: String
  /// What Enter does with a choice, as a verb after "Enter".
  package let enter: String
  /// What typing is for.
  package let typing: String
  /// What is added to "nothing matches"; nil for the names of a few choices.
  package let remark: String?
  /// The expected answer to a printed list, as text.
  package let expected: String
  /// Returns the choices for the text typed so far. It is called again when the text or the state
  /// changes. An unavailable choice stays in the list and shows the reason.
  package private(set) var choices: (_ typed: String) -> [Choice<Answer>]
  /// Whether the choices for a text are still incomplete. Enter then waits for them. Call
  /// ``Dialogs/refresh()`` when they are complete.
  package let isPending: (_ typed: String) -> Bool
  /// The text with which the question continues after a choice, such as a folder; nil if the choice
  /// is the answer.
  package let continuation: (Answer) -> String?
  /// The answer for a typed text that matches no choice; nil if there is none.
  package let answer: (_ typed: String) -> Answer?
  /// Called with the answer after the question was removed from the screen.
  package let onAnswer: (Answer) -> Void
  /// Called when the user chooses nothing.
  package let onCancel: () -> Void
  /// Called first, even if another dialog has replaced the question.
  package let onEnd: () -> Void

  package init(
    title: String, enter: String = "chooses", typing: String = "type to search",
    remark: String? = nil, expected: String = "a number or a name",
    choices: @escaping (_ typed: String) -> [Choice<Answer>],
    isPending: @escaping (_ typed: String) -> Bool = { _ in false },
    continuation: @escaping (Answer) -> String? = { _ in nil },
    answer: @escaping (_ typed: String) -> Answer? = { _ in nil },
    onAnswer: @escaping (Answer) -> Void, onCancel: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {}
  ) {
    self.title = title
    self.enter = enter
    self.typing = typing
    self.remark = remark
    self.expected = expected
    self.choices = choices
    self.isPending = isPending
    self.continuation = continuation
    self.answer = answer
    self.onAnswer = onAnswer
    self.onCancel = onCancel
    self.onEnd = onEnd
  }
}

extension Question {
  /// The same question with other choices.
  ///
  /// - Parameter change: returns the choices in place of those of this question.
  package func mapChoices(
    _ change: @escaping ([Choice<Answer>]) -> [Choice<Answer>]
  ) -> Question {
    var question = self
    question.choices = { [choices] in change(choices($0)) }
    return question
  }
}

extension Choice {
  /// Creates a choice for a value of a setting.
  package init(_ value: ID, _ text: String, isCurrent: Bool) {
    self.init(id: value, title: text, detail: isCurrent ? "now" : "", isCurrent: isCurrent)
  }

  /// Creates the choice of the text that was typed. It is the first one if it can be chosen, and
  /// the last one otherwise.
  ///
  /// - Parameter complaint: what is wrong with the text; nil if it can be chosen.
  package static func typed(
    _ text: String, detail: String = "", complaint: String? = nil
  ) -> Choice where ID == String {
    Choice(id: text, title: text, detail: detail, refusal: complaint, isTyped: true)
  }

  /// The first choice of a question that switches several things and has no present value. With it,
  /// Enter alone changes nothing.
  ///
  /// - Parameter state: the present state, as text.
  package static func noChange<Value>(_ state: String) -> Choice where ID == Value? {
    Choice(id: nil, title: "no change", detail: state, isCurrent: true)
  }
}

/// The answer to a user who requests something that is not available now.
package enum Refusal {
  /// - Parameter reason: the reason, without a period.
  package static func sentence(because reason: String) -> String { "Not available: \(reason)." }
}
