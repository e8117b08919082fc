import TerminalUI

/// A question to the user: what there is to choose from, and what the choice leads to.
struct Question {
  let title: String
  /// The choices for what was typed so far, which may be one of them. Asked anew whenever that, or
  /// the state of the session, changes: what is off is not left out, but says why.
  var choices: (_ typed: String) -> [Choice<String>]
  /// Called with the choice, when the question is off the screen.
  let onAnswer: (String) -> Void
  /// Called when the user wants none of them.
  var onCancel: () -> Void = {}
  /// Called before those, and when something else has come in its place: it is off the screen.
  var onEnd: () -> Void = {}
}

extension Question {
  /// The question with all of its choices off while a command is, for the same reason.
  func whileOn(_ command: Command, in model: TerminalStateModel) -> Question {
    var question = self
    question.choices = { [unowned model, choices] typed in
      guard case .disabled(let reason) = command.availability(in: model.state) else {
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
