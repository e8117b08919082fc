import Terminal

/// What follows the state of the ports on the screen: the status line, the open list, and the size
/// of the window that the far end knows.
struct StateViews {
  let sizes: SizeFollower
  private let status: StatusDisplay
  private let openList: OpenList

  init(of focus: PortFocus, _ keyboard: Keyboard, in app: App) {
    sizes = SizeFollower(keyboard, at: focus, on: app.console, loop: app.loop)
    status = StatusDisplay(of: focus, on: app.console, loop: app.loop)
    openList = OpenList(in: keyboard.dialogs)
  }

  /// Starts to follow the port with the focus.
  func begin() {
    status.begin()
    sizes.begin()
  }

  /// Starts to follow the state of a port, with or without the focus.
  func observe(_ port: PortPresenter) { openList.observeState(of: port.model) }

  /// Ends the observation of the ports, which will be closed.
  func stop() { openList.stop() }
}
