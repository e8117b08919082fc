import EventLoop
import Glibc
import TerminalFrontEnd

/// What the signals mean to a session.
extension UserInterface {
  var signals: [CInt] { [SIGTSTP, SIGCONT, SIGWINCH] }

  func take(signal: CInt) -> Bool {
    switch signal {
    case SIGTSTP:
      dialogs.dismiss()
      if console.isOutputTerminal { for port in ports { port.view.finish() } }
      console.suspend(within: Self.showPatience)
      terminal?.restore()
      // SIGTSTP itself is blocked. The next line runs after SIGCONT.
      raise(SIGSTOP)
    case SIGCONT:
      // From the background this stops us again, by SIGTTOU, as it should.
      _ = try? terminal?.retake()
      console.screen.resume()
      followSize()
    case SIGWINCH:
      console.screen.sizeDidChange()
      if model.state.followsSize { sizeFollower.sizeDidChange() }
    case configuration.releaseSignal?.number: perform(.release, from: .signal)
    default: return false
    }
    return true
  }
}
