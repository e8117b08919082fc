package import TerminalUI

/// A question to the user: a list of choices, each of which stands for an answer.
///
/// Where choosing nothing is a choice of its own ("no change"), the answer is an optional value.
package struct Question<Answer: Hashable> {
  /// What the user did.
  enum Outcome {
    case chosen(Answer)
    case cancelled
  }

  package let title: String
  /// What to type into a printed list, in words.
  package var expected = "a number or a name"
  /// The choices for the text typed so far. Called again when the text or the state changes: a
  /// choice that is off stays in the list and says why.
  package var choices: (_ typed: String) -> [Choice<Answer>]
  /// Whether the choices for a text are not complete yet: Enter waits for them. Call
  /// ``Dialogs/refresh()`` when they are.
  package var isPending: (_ typed: String) -> Bool
  /// The text with which the question continues when a choice is made, as with a folder; nil when the
  /// choice is the answer.
  package var continuation: (Answer) -> String?
  /// The answer that a typed text stands for when it matches no choice; nil for none.
  package var answer: (_ typed: String) -> Answer?
  /// Called with the answer when the question is off the screen.
  package let onAnswer: (Answer) -> Void
  /// Called when the user chooses nothing.
  package var onCancel: () -> Void
  /// Called first, also when another dialog has taken the place of the question.
  package var onEnd: () -> Void

  package init(
    title: String, choices: @escaping (_ typed: String) -> [Choice<Answer>],
    isPending: @escaping (_ typed: String) -> Bool = { _ in false },
    continuation: @escaping (Answer) -> String? = { _ in nil },
    answer: @escaping (_ typed: String) -> Answer? = { _ in nil },
    onAnswer: @escaping (Answer) -> Void, onCancel: @escaping () -> Void = {},
    onEnd: @escaping () -> Void = {}
  ) {
    self.title = title
    self.choices = choices
    self.isPending = isPending
    self.continuation = continuation
    self.answer = answer
    self.onAnswer = onAnswer
    self.onCancel = onCancel
    self.onEnd = onEnd
  }
}

extension Choice {
  /// A value of a setting.
  package init(_ value: ID, _ text: String, isCurrent: Bool) {
    self.init(id: value, title: text, detail: isCurrent ? "now" : "", isCurrent: isCurrent)
  }

  /// The first choice where several things can be switched and none is the present value: Enter alone
  /// changes nothing.
  ///
  /// - Parameter state: the present state, in words.
  package static func noChange<Value>(_ state: String) -> Choice where ID == Value? {
    Choice(id: nil, title: "no change", detail: state, isCurrent: true)
  }
}

/// The answer to a user who asks for something that is not available now.
package enum Refusal {
  /// - Parameter reason: the reason, without a period.
  package static func sentence(because reason: String) -> String { "Not available: \(reason)." }
}
