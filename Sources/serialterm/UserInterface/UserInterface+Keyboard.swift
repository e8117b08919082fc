import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// What the user types, or a pipe contains.
extension UserInterface: InputPumpDelegate {
  func input(_ input: InputPump, didReadCommand key: UInt8) { perform(key) }

  func input(_ input: InputPump, didReadOther key: Key) { answer(noCommandFor: key) }

  func input(_ input: InputPump, didReadEscape command: EscapeParser.Command) { perform(command) }

  /// The bytes may wait for the end of another member's line.
  func input(_ input: InputPump, writeShared bytes: UnsafeRawBufferPointer) -> Bool {
    controller.sharing.writeInTurn(bytes)
  }

  func input(_ input: InputPump, didAccept bytes: UnsafeRawBufferPointer) {
    // A standard output that is not a terminal gets only the bytes of the device.
    guard console.isOutputTerminal else { return }
    noteTyped(bytes)
    focus.view.showTyped(bytes)
  }

  func input(_ input: InputPump, didWrite bytes: UnsafeRawBufferPointer) {
    if console.isOutputTerminal { focus.view.showSent(bytes) }
    if sendsToAll { sendToOthers(bytes) }
  }

  func input(_ input: InputPump, didRefuse count: Int) { refuse(count) }

  func inputDidEnd(_ input: InputPump, with error: Errno?) { inputEnded(error) }
}
