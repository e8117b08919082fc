import Observing
import SystemPackage
import Terminal

/// What follows the state of the ports on the screen: the status line, the open dialog, and the
/// size of the window that the far end knows.
final class StateViews {
  let sizes: SizeFollower
  /// Whether the user wants the status line.
  let statusChoice: StatusChoice
  private let status: StatusDisplay
  private let dialogs: Dialogs
  private var stateChanges: [ObservationToken<Change<TerminalState>>] = []

  /// - Parameter folder: the state folder of the user; nil to remember nothing.
  init(of focus: PortFocus, _ keyboard: Keyboard, in app: App, keeping folder: FilePath?) {
    // Who only reads the screen, or writes into a pipe, has chosen nothing.
    let canChoose = keyboard.terminal != nil && app.console.kind == .drawing
    statusChoice = StatusChoice(of: focus, in: canChoose ? folder : nil)
    sizes = SizeFollower(keyboard, at: focus, on: app.console, loop: app.loop)
    status = StatusDisplay(of: focus, on: app.console, loop: app.loop) { [unowned keyboard] in
      keyboard.terminal == nil ? nil : keyboard.keys.name(of: .help)
    }
    dialogs = keyboard.dialogs
  }

  /// Starts to follow the port with the focus.
  func begin() {
    status.begin()
    sizes.begin()
  }

  /// Starts to follow the state of a port, with or without the focus: the open dialog is drawn
  /// again when the state changes, at once unless only the progress of an exchange has changed.
  func observe(_ port: PortPresenter) {
    stateChanges.append(
      port.model.$state.observe { [dialogs] in dialogs.refresh(isUrgent: !$0.isProgress) })
  }

  /// Ends the observation of the ports, which will be closed.
  func stop() { stateChanges = [] }
}

extension Change<TerminalState> {
  /// Whether only the progress of an exchange has changed.
  fileprivate var isProgress: Bool {
    guard old.progress != nil, new.progress != nil else { return false }
    var old = old
    old.progress = new.progress
    return old == new
  }
}
