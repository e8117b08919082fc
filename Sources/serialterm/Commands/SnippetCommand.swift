import Framing
import Dialogues

extension Snippet {
  /// The name of the command that sends the text.
  var commandName: String { Self.commandPrefix + name }

  /// The beginning of the names of the commands for snippets.
  static let commandPrefix = "snippet: "

  /// Other words for snippets.
  static let synonyms = ["snippet", "send text", "macro", "canned text"]

  /// The command that sends the text. Pages get the name alone: the text may be a password, and
  /// who only watches sees the commands too.
  var command: Command {
    Command(
      key, commandName, "", or: [name] + Self.synonyms, users: .exceptAgents,
      needs: Need.toSend, value: { $0.user == .page ? nil : shown(in: $0) }
    ) { call in
      guard let messages = call.messages else { return call.answer(.withoutUser) }
      do throws(Failure) {
        try messages.send(bytes(enter: call.state.lineEnding)) { call.answer(.done) }
      } catch {
        call.answer(.failed(error.message))
      }
    }
  }

  /// The text for lists, without characters that control a terminal.
  private func shown(in state: TerminalState) -> String {
    // The first bytes are enough, because an escape has more characters than bytes.
    let bytes = bytes(enter: state.lineEnding).prefix(Self.longestShown + 1)
    return EscapedText.text(of: bytes).shortened(to: Self.longestShown)
  }

  private static let longestShown = 30
}

extension String {
  /// The text, shortened if it is longer than this number of characters.
  func shortened(to count: Int) -> String {
    self.count > count ? prefix(count - 1) + "…" : self
  }
}
