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

  /// What is sent, for lists: shortened, and without characters that a terminal obeys.
  private func shown(in state: TerminalState) -> String {
    let bytes = bytes(enter: state.lineEnding)
    // An escape has at most four characters.
    let text = EscapedText.text(of: bytes.prefix(Self.longestShown))
    guard text.count > Self.longestShown || bytes.count > Self.longestShown else { return text }
    return text.prefix(Self.longestShown - 1) + "…"
  }

  private static let longestShown = 30
}
