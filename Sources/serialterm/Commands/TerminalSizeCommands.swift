import TerminalFrontEnd

/// The commands that tell the far end how large the window is: a serial line has no way to say it.
extension Command {
  static let terminalSize = Command(
    nil, "terminal-size", "send the window's size",
    or: ["stty", "rows", "columns", "resize", "window size"], needs: Need.toSend + [.screen]
  ) { call, user in
    do throws(Failure) {
      try user.sendScreenSize()
      call.answer(.done)
    } catch {
      call.answer(.failed(error.message))
    }
  }

  static let followSize = toggle(
    nil, "follow-size", "send each new size", or: ["stty", "resize", "sigwinch"],
    needs: [.sending, .screen], \.followsSize)
}
