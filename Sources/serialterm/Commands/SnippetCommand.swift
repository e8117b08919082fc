import Scripting

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

  /// What is sent, for lists: without characters that a terminal obeys.
  private func shown(in state: TerminalState) -> String {
    // A part is enough: an escape has more characters than bytes.
    let bytes = bytes(enter: state.lineEnding).prefix(Self.longestShown + 1)
    return EscapedText.text(of: bytes).shortened(to: Self.longestShown)
  }

  private static let longestShown = 30
}

extension String {
  /// The beginning of the text, if it is longer than that.
  func shortened(to count: Int) -> String {
    self.count > count ? prefix(count - 1) + "…" : self
  }
}
