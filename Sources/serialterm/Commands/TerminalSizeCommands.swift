import Terminal

/// The commands that send the size of the window to the far end: a serial line has no other way
/// to transmit it.
extension Command {
  static let terminalSize = Command(
    nil, "terminal-size", "send the window size",
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
