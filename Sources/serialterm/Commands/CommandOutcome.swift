/// What became of a command: the same answer for every sender, be it a key, the palette, a line of
/// JSON, a program at the control socket or a signal.
enum CommandOutcome: Hashable {
  /// The command was carried out: what to show for it, as a sentence.
  case done(String)
  /// The observed state does not allow the command, and why.
  case unavailable(because: String)
  /// The system refused, and why, as a sentence.
  case failed(String)

  /// The answer to a user, as a sentence.
  var message: String {
    switch self {
    case .done(let text), .failed(let text): text
    case .unavailable(let reason): "Not available: \(reason)."
    }
  }

  /// Why the command was not carried out, for a program; nil if it was.
  var refusal: String? {
    switch self {
    case .done: nil
    case .unavailable(let reason), .failed(let reason): reason
    }
  }
}
