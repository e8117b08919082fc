import Terminal

/// The outcome of a command. It is the same for every sender: a key, the palette, a line of JSON, a
/// script, a program at the control socket, or a signal.
enum CommandOutcome: Hashable {
  /// The command was performed. The lines are shown; there are none if the effect
  /// is visible anyway.
  case done(lines: [String])
  /// The observed state does not allow the command, for this reason.
  case unavailable(because: Reason)
  /// The argument is wrong, or the system refused. The reason is a sentence.
  case failed(String)

  /// The command was performed, and there is nothing to show.
  static let done = CommandOutcome.done(lines: [])

  /// The command was performed, and the sentence is shown.
  static func done(_ sentence: String) -> CommandOutcome { .done(lines: [sentence]) }

  /// The command needs a user, and there is none.
  static let withoutUser = CommandOutcome.unavailable(because: .notFor(.script))

  /// The answer to a user, as lines.
  var lines: [String] {
    switch self {
    case .done(let lines): lines
    case .failed(let reason): [reason]
    case .unavailable(let reason): [Refusal.sentence(because: reason.text)]
    }
  }

  /// The answer to a user, as one text.
  var message: String { lines.joined(separator: "\n") }

  /// The reason why the command was not performed, for a program; nil if it was performed.
  var refusal: String? {
    switch self {
    case .done: nil
    case .unavailable(let reason): reason.text
    case .failed(let reason): reason
    }
  }

  /// Why the observed state does not allow the command; nil if it does.
  var obstacle: Reason? { if case .unavailable(let reason) = self { reason } else { nil } }
}
