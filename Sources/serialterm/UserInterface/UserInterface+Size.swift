import SerialCore
import Sessions
import Terminal
import TerminalWidgets

/// Sending the size of the window to the far end.
extension UserInterface {
  func sendScreenSize() throws(Failure) {
    let size = console.screen.textSize
    let command = "stty rows \(size.rows) cols \(size.columns)"
    try send(Array(command.utf8) + model.state.lineEnding.bytes)
    focus.sentSize = size
  }

  /// Records the present size, and sends a new one soon.
  func followSize() {
    guard model.state.followsSize else { return focus.sentSize = nil }
    let size = console.screen.textSize
    if focus.sentSize == nil { focus.sentSize = size }
    if focus.sentSize != size { sizeFollower.sizeMayHaveChanged() }
  }

  /// Sends the size if it is new for the port with the focus.
  ///
  /// - Returns: whether something prevents this for now.
  func sendNewSize() -> Bool {
    let state = model.state
    // A device that has returned is not at a prompt.
    guard state.followsSize, state.session.isOpen, !state.isReadOnly,
      focus.sentSize != console.screen.textSize
    else { return false }
    // In the middle of a line, the command would become a part of that line.
    let isBusy =
      state.exchange != nil || state.playing != nil || session.queuedByteCount > 0
      || isTypingLine
    if isBusy { return true }
    do throws(Failure) {
      try sendScreenSize()
    } catch {
      console.warn(error.message)
    }
    return false
  }

  /// Records whether the typed text is an unfinished line. The keys that discard a line at a prompt also end it:
  /// ctrl-c, ctrl-d and ctrl-u.
  func noteTyped(_ bytes: UnsafeRawBufferPointer) {
    guard let last = bytes.last else { return }
    isTypingLine = ![0x03, 0x04, 0x0A, 0x0D, 0x15].contains(last)
  }
}
