import TerminalFrontEnd
import TerminalUI

extension Question {
  /// The question, with all its choices unavailable for the same reason while a condition is not met.
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
