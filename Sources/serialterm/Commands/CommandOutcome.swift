import TerminalFrontEnd

/// What became of a command: the same for every sender, be it a key, the palette, a line of JSON, a script,
/// a program at the control socket or a signal.
enum CommandOutcome: Hashable {
  /// The command was performed: the lines to show; none if the effect speaks for itself.
  case done(lines: [String])
  /// The observed state does not allow the command, and why.
  case unavailable(because: String)
  /// The argument is wrong or the system refused, and why, as a sentence.
  case failed(String)

  /// The command was performed, and has nothing to show.
  static let done = CommandOutcome.done(lines: [])

  /// The command was performed: what to show, as a sentence.
  static func done(_ sentence: String) -> CommandOutcome { .done(lines: [sentence]) }

  /// The command needs a user, and there is none.
  static let withoutUser = CommandOutcome.unavailable(because: "there is no user")

  /// The answer to a user, in lines.
  var lines: [String] {
    switch self {
    case .done(let lines): lines
    case .failed(let reason): [reason]
    case .unavailable(let reason): [Refusal.sentence(because: reason)]
    }
  }

  /// The answer to a user, as one text.
  var message: String { lines.joined(separator: "\n") }

  /// Why the command was not performed, for a program; nil if it was.
  var refusal: String? {
    switch self {
    case .done: nil
    case .unavailable(let reason), .failed(let reason): reason
    }
  }
}
