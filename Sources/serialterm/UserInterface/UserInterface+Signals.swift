import EventLoop
import Glibc
import Terminal

/// The effects of signals on a session.
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
      // If the process is in the background, the kernel stops it again by SIGTTOU.
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
