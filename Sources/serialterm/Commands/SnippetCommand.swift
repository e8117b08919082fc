import Checksums
import Dialogues

extension Snippet {
  /// The command that sends the text.
  var command: Command {
    Command(
      key, "snippet: \(name)", "", or: [name, "snippet", "send text", "macro"],
      needs: Need.toSend, value: { shown(in: $0) }
    ) { call, user in
      do throws(Failure) {
        try user.send(bytes(enter: call.state.lineEnding))
        call.answer(.done)
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
