internal import CTerminalGuard
import Glibc
import Posix
package import SystemPackage
import TerminalWidgets
import TextStages

/// The mode of the terminal at which a user types.
package protocol TerminalMode: AnyObject {
  /// Sets raw mode: bytes pass unchanged in both directions, and each key immediately.
  ///
  /// - Throws: the errors of tcsetattr(3).
  func makeRaw() throws(Errno)

  /// Restores the original settings of the terminal. Calling it again does nothing.
  func restore()

  /// Sets raw mode again after a stop. Another program may have changed the settings.
  ///
  /// - Throws: the errors of tcgetattr(3) and tcsetattr(3).
  func retake() throws(Errno)

  /// Records where the cursor is, so that it can be moved back to the text after a crash.
  func noteCursor(in place: Screen.CursorPlace)

  /// Records the bytes that undo what the device has switched, to be written after a crash.
  func noteRestoration(_ bytes: [UInt8])
}

/// The user's own terminal. It is in raw mode while a session runs, and restored at any end
/// of the session.
package final class UserTerminal: TerminalMode {
  private var found: termios
  private var isRaw = false

  /// The sequences that restore the screen from any state when none of the program's normal
  /// code can run.
  ///
  /// An incomplete sequence ends (CAN), all modes that a device may have switched are as at first,
  /// and text below the cursor is erased.
  nonisolated(unsafe) private static let screenRestoration: UnsafeRawBufferPointer = {
    let bytes = [0x18] + SwitchedModes.everything + "\u{1B}[J".utf8
    // Never released: the guard process and the handler of crashes may need it at any time.
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    copy.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(copy)
  }()

  /// - Parameter draws: whether standard output is a terminal that is drawn on. If it is not this
  ///   terminal, it is not restored after a crash.
  /// - Returns: nil if standard input is not a terminal.
  package init?(draws: Bool) {
    var attributes = termios()
    guard FileDescriptor.standardInput.isTerminal, tcgetattr(STDIN_FILENO, &attributes) == 0
    else { return nil }
    found = attributes
    if draws && Self.isSameTerminal(.standardInput, .standardOutput) {
      let bytes = Self.screenRestoration
      terminal_guard_restore_screen(bytes.baseAddress, bytes.count)
    }
  }

  deinit { restore() }

  package func noteCursor(in place: Screen.CursorPlace) {
    switch place {
    case .text: terminal_guard_set_cursor_place(TERMINAL_GUARD_TEXT)
    case .panel: terminal_guard_set_cursor_place(TERMINAL_GUARD_PANEL)
    case .page: terminal_guard_set_cursor_place(TERMINAL_GUARD_ALTERNATE_SCREEN)
    }
  }

  package func noteRestoration(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { terminal_guard_set_device_restoration($0.baseAddress, $0.count) }
  }

  private static func isSameTerminal(_ one: FileDescriptor, _ other: FileDescriptor) -> Bool {
    (try? one.stat().specialDeviceID) == (try? other.stat().specialDeviceID)
  }

  /// The number of columns of the terminal at standard output; nil if it is not a terminal.
  package static var outputWidth: Int? {
    FileDescriptor.standardOutput.isTerminal ? screenSize().columns : nil
  }

  /// The rows and columns of the screen; 24 by 80 if they are unknown, as on a serial console. The
  /// corresponding request is `TIOCGWINSZ`, see ioctl_tty(2).
  static func screenSize() -> ScreenSize { screenSize(of: STDOUT_FILENO) }

  /// The rows and columns of the screen of a standard stream.
  static func screenSize(of stream: CInt) -> ScreenSize {
    var size = winsize()
    let isKnown =
      ioctl(stream, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0
    return isKnown
      ? ScreenSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
      : ScreenSize(rows: 24, columns: 80)
  }

  /// The corresponding C functions are `cfmakeraw` and `tcsetattr`.
  package func makeRaw() throws(Errno) {
    var raw = found
    cfmakeraw(&raw)
    // Set before the call, so that the terminal is restored even if only some of the
    // attributes were set.
    isRaw = true
    try systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &raw) }
    var taken = raw
    tcgetattr(STDIN_FILENO, &taken)
    // If no process can be started, there is no guard: SIGKILL then leaves the terminal raw.
    _ = terminal_guard_start(STDIN_FILENO, &found, &taken)
  }

  package func restore() {
    guard isRaw else { return }
    isRaw = false
    var attributes = found
    // TCSANOW does not wait for a terminal that accepts no output. This fails only if the
    // terminal is gone.
    _ = try? systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &attributes) }
    terminal_guard_stop()
  }

  package func retake() throws(Errno) {
    if !isRaw { try systemCall { tcgetattr(STDIN_FILENO, &found) } }
    try makeRaw()
  }
}
