import EventLoop
import Observing
import SerialCore
import Sessions
import Terminal
import TerminalWidgets

/// Sends the size of the window to the far end, at the user's request, or after each change: once,
/// when the window has been still for a moment and nothing else is being sent. A telnet server that
/// has asked for the size gets each in any case.
final class SizeFollower {
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let console: Console
  private let loop: IOLoop
  private var timer: LoopTimer?
  private var stateChanges: AnyObject?

  /// The time for which the window must be still: a window that is being dragged changes
  /// at each step.
  static let pause = Duration.milliseconds(300)

  init(_ keyboard: Keyboard, at focus: PortFocus, on console: Console, loop: IOLoop) {
    (self.keyboard, self.focus, self.console, self.loop) = (keyboard, focus, console, loop)
  }

  /// Starts to follow the state of the port with the focus.
  func begin() {
    stateChanges = focus.changes.observe { [unowned self] in
      // The status line is drawn soon, and takes a row.
      if $0.old.showsStatus != $0.new.showsStatus || $0.old.editsLines != $0.new.editsLines {
        sizeMayHaveChanged()
      }
      updateSize()
    }
    updateSize()
  }

  /// Handles a change of the window's size.
  func windowDidChange() { sizeDidChange() }

  /// Records the present size, and sends a new one soon.
  func updateSize() {
    guard focus.state.followsSize else { return focus.port.sentSize = nil }
    let size = console.screen.textSize
    if focus.port.sentSize == nil { focus.port.sentSize = size }
    if focus.port.sentSize != size { sizeMayHaveChanged() }
  }

  private func sizeDidChange() {
    timer = loop.schedule(after: Self.pause) { [unowned self] in
      timer = nil
      for port in focus.ports { port.port.controller.windowDidChange() }
      if sendNewSize() { sizeDidChange() }
    }
  }

  /// Handles a possible change of the size. Unlike ``sizeDidChange()``, it does not delay
  /// a pending attempt.
  private func sizeMayHaveChanged() {
    if timer == nil { sizeDidChange() }
  }

  /// Sends the size if it is new for the port with the focus.
  ///
  /// - Returns: whether something prevents this for now.
  private func sendNewSize() -> Bool {
    let state = focus.state
    // A device that has returned is not at a prompt.
    guard state.followsSize, state.session.isOpen, !state.isReadOnly,
      focus.port.sentSize != console.screen.textSize
    else { return false }
    // In the middle of a line, the command would become a part of that line.
    let isBusy =
      state.exchange != nil || state.playing != nil || focus.port.session.queuedByteCount > 0
      || keyboard.isTypingLine
    if isBusy { return true }
    do throws(Failure) {
      try sendSize()
    } catch {
      console.warn(error.message)
    }
    return false
  }

  /// Sends the shell command that sets the size of its terminal to the size of the window.
  ///
  /// - Throws: ``Failure`` if there is no room for it.
  func sendSize() throws(Failure) {
    let size = console.screen.textSize
    let command = "stty rows \(size.rows) cols \(size.columns)"
    try keyboard.send(Array(command.utf8) + focus.state.lineEnding.bytes)
    focus.port.sentSize = size
  }
}
