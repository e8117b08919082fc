import Options
import SystemPackage
import TerminalFrontEnd

/// The commands about what is sent.
extension Command {
  static let sendFile = CommandWithArgument(
    "x", "send-file", "send a file", or: ["upload", "transmit", "transfer", "paste file"],
    needs: [.interactive] + Need.toSend, argument: .file("file to send")
  ) { path, call in
    guard let user = call.user else { return call.answer(.withoutUser) }
    do throws(Failure) {
      try user.send(path)
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }

  static let stopSending = Command(
    nil, "stop-sending", "stop what is running",
    or: [
      "cancel", "abort", "interrupt", "stop upload", "stop transfer", "stop script", "stop command",
    ], needs: [.exchange], value: { $0.progress.map { "\($0)" } }
  ) { call, user in
    user.stopExchange()
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
