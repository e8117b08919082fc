import TerminalUI

/// A question to the user: what there is to choose from, and what the choice leads to.
struct Question {
  let title: String
  /// The choices for what was typed so far, which may be one of them. Asked anew whenever that, or
  /// the state of the session, changes: what is off is not left out, but says why.
  let choices: (_ typed: String) -> [Choice<String>]
  /// Called with the choice, when the question is off the screen.
  let onAnswer: (String) -> Void
  /// Called when the user wants none of them.
  var onCancel: () -> Void = {}
}
