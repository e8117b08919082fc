import EventLoop
import Observing
import Sessions
import SystemPackage
import Terminal

/// Starts to read standard input that is not a keyboard, when the device is ready for it: after the
/// script of `--script`, and when the joined session has reported whether the pipe may write.
final class PipeStart {
  /// Whether the user takes the pen of a joined session without asking.
  var takesPenAtOnce = false

  private let keyboard: Keyboard
  private let focus: PortFocus
  private let app: App
  private var hasStarted = false
  private var stateChanges: AnyObject?

  init(_ keyboard: Keyboard, at focus: PortFocus, in app: App) {
    (self.keyboard, self.focus, self.app) = (keyboard, focus, app)
  }

  /// Starts to follow the session that the pipe joins.
  func begin() {
    if takesPenAtOnce { focus.port.controller.userSharing.remote?.takesPenAtOnce = true }
    stateChanges = focus.changes.observe { [unowned self] _ in stateDidChange() }
    stateDidChange()
  }

  private func stateDidChange() {
    let sharing = focus.state.sharing
    guard sharing.isJoined, !sharing.isJoining else { return }
    if takesPenAtOnce, sharing.mayTake {
      switch sharing.pen {
      case .free, .others: return
      case .mine, .everyone, .nobody: break
      }
    }
    start()
  }

  /// Starts to read. Does nothing on a terminal, or if reading has already begun.
  func start() {
    guard keyboard.terminal == nil, app.outcome == nil, !hasStarted else { return }
    hasStarted = true
    do throws(Errno) {
      try keyboard.input.start()
    } catch {
      app.finish(.failure(Failure(inputFailed: error)))
    }
  }
}
