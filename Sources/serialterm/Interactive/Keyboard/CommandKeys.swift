import Glibc
import Options
import Sessions
import Terminal
import TerminalWidgets
import TextTools

/// The keys with which the user gives commands, and their names in messages. The keyboard and the
/// messages of all ports share them.
final class CommandKeys {
  /// The key before the key of a command.
  private(set) var prefix = PrefixKey.none
  /// The key that starts a command at the start of a line.
  private(set) var escape = EscapeKey.none
  /// Whether a message has said what the pen is.
  private var hasExplainedPen = false

  /// Applies the keys of a configuration.
  func adopt(_ configuration: ConnectConfiguration) {
    prefix = configuration.values[KeyboardParameters.prefix]
    escape = configuration.values[KeyboardParameters.escape]
  }

  /// The keys of a command, such as "ctrl-t p"; nil if the user has none.
  func name(of command: Command) -> String? {
    prefix == .none ? nil : "\(prefix) \(command.key ?? " ")"
  }

  /// How to quit and to list the commands, as text.
  var quitAndHelp: String {
    switch (prefix, escape) {
    case (.none, .none): "No key quits: 'kill \(getpid())' does."
    case (.none, .character): "\(escape). quits, \(escape)? for help."
    case (.control, .none): "\(prefix) q quits, \(prefix) ? for help."
    case (.control, .character): "\(prefix) q or \(escape). quits, \(prefix) ? for help."
    }
  }

  /// How the user gets the pen, if that is the reason why nothing was sent; nil if there is
  /// no way now.
  func penAdvice(for reason: Reason, in state: TerminalState) -> String? {
    guard reason == Need.pen.unmet(in: state), let key = name(of: .pen),
      Command.pen.refusal(in: state) == nil
    else { return nil }
    return switch state.sharing.pen {
    case .free: "Press \(key) to get the pen."
    case .others(let person) where person.answers: "Press \(key) to ask for it."
    case .others, .mine, .everyone, .nobody: nil
    }
  }

  /// A message, with what the pen is behind the first one that names it.
  ///
  /// - Parameter canAsk: whether the user may ask for the pen, so that its key is named.
  func explainingPen(in text: String, canAsk: Bool) -> String {
    guard !hasExplainedPen, text.hasSuffix("."), text.contains(text: "the pen") else { return text }
    hasExplainedPen = true
    let key = canAsk ? name(of: .pen).flatMap { text.contains(text: $0) ? nil : $0 } : nil
    return "\(text) The pen is the right to type" + (key.map { "; \($0) asks for it." } ?? ".")
  }

  /// The commands at the start of a line, one in each line of text.
  var escapeCommands: [String] {
    [
      "at the start of a line, after Enter:", "    \(escape).  quits",
      "    \(escape)?  shows this list",
      "    \(escape)\(escape)  sends one \(escape)",
    ] + (prefix == .none ? [] : ["\(prefix) ? lists all commands."])
  }
}
