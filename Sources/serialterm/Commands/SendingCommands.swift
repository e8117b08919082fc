import Options
import Sessions
import Terminal

/// The commands that send, or stop sending.
extension Command {
  /// Stops the running exchange, or the line sequence. The two never run at the same time.
  static let stop = Command(
    nil, "stop", "stop what is running",
    or: [
      "cancel", "abort", "interrupt", "stop sending", "stop upload", "stop transfer", "stop script",
      "stop command", "stop sequence",
    ], needs: [.activity], value: { state in state.progress.map { "\($0)" } ?? state.playing }
  ) { call in
    if call.state.playing != nil {
      call.port.sequences.stop()
    } else {
      guard let user = call.user else { return call.answer(.withoutUser) }
      user.stopExchange()
    }
    // The starter of the exchange receives its outcome.
    call.answer(.done)
  }

  static let localEcho = toggle(
    "e", ConnectCommand.localEcho.name, ConnectCommand.localEcho.inSession,
    or: ["echo", "half duplex", "show typing"],
    needs: [.sending], \.echoesLocally)

  static let lineInput = toggle(
    nil, "line-input", "edit before sending",
    or: ["line mode", "edit line", "input mode", "history", "canonical"],
    needs: [.sending, .drawing], \.editsLines)

  static let lineEnding = CommandWithArgument(
    nil, ConnectCommand.lineEnding.name, ConnectCommand.lineEnding.inSession,
    or: [
      "line ending", "line endings", "crlf", "newline", "eol", "enter key", "return key",
      "end of line",
    ],
    needs: [.interactive, .sending], value: { $0.lineEnding.rawValue },
    argument: .choice(ConnectCommand.lineEnding) { $0.lineEnding }
  ) { lineEnding, call in
    call.port.model.update { $0.lineEnding = lineEnding }
    call.answer(.done("Enter sends \(lineEnding.rawValue)."))
  }

  static let readOnly = toggle(
    nil, ConnectCommand.readOnly.name, ConnectCommand.readOnly.inSession,
    or: ["listen only", "view only", "sniff", "lock input"],
    needs: [.noExchange], \.isReadOnly)
}
