internal import CTerminalGuard
import Glibc
import Posix
package import SystemPackage
import TerminalUI

/// The mode of the terminal that a user types at.
package protocol TerminalMode: AnyObject {
  /// Sets raw mode: bytes pass in both directions unchanged, each key at once.
  ///
  /// - Throws: the errors of tcsetattr(3).
  func makeRaw() throws(Errno)

  /// Restores the terminal's first settings. Calling it again does nothing.
  func restore()

  /// Sets raw mode again after a stop. Another program may have changed the settings.
  ///
  /// - Throws: the errors of tcgetattr(3) and tcsetattr(3).
  func retake() throws(Errno)

  /// Notes whether the cursor is in a panel, so that it can be moved back to the text after a crash.
  func noteCursor(isAway: Bool)
}

/// The user's own terminal: in raw mode while a session runs, and restored however the session ends.
package final class UserTerminal: TerminalMode {
  private var found: termios
  private var isRaw = false

  /// Restores the screen when none of the program's normal code runs any more, from any state: a sequence that was cut off ends (CAN), attributes are plain, the
  /// cursor is shown, lines wrap, pastes are not marked, all of the screen scrolls, and what stands
  /// below the cursor is erased.
  private static let screenRestoration: StaticString =
    "\u{18}\u{1B}[0m\u{1B}[?25h\u{1B}[?7h\u{1B}[?2004l\u{1B}7\u{1B}[r\u{1B}8\u{1B}[J"

  /// - Parameter draws: whether standard output is a terminal that is drawn on. One that is not this
  ///   terminal is not restored after a crash.
  /// - Returns: nil when standard input is no terminal.
  package init?(draws: Bool) {
    var attributes = termios()
    guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { return nil }
    found = attributes
    if draws && Self.isSameTerminal(.standardInput, .standardOutput) {
      let bytes = Self.screenRestoration
      terminal_guard_restore_screen(bytes.utf8Start, bytes.utf8CodeUnitCount)
    }
  }

  deinit { restore() }

  package func noteCursor(isAway: Bool) { terminal_guard_set_cursor_away(isAway ? 1 : 0) }

  private static func isSameTerminal(_ one: FileDescriptor, _ other: FileDescriptor) -> Bool {
    (try? one.stat().specialDeviceID) == (try? other.stat().specialDeviceID)
  }

  /// The columns of the terminal that is standard output; nil if it is not a terminal.
  package static var outputWidth: Int? { isatty(STDOUT_FILENO) == 1 ? screenSize().columns : nil }

  /// The rows and columns of the screen; 24 by 80 if they are unknown, as on a serial console. The
  /// corresponding request is `TIOCGWINSZ`, see ioctl_tty(2).
  static func screenSize() -> ScreenSize { screenSize(of: STDOUT_FILENO) }

  /// The same for the screen of a standard stream.
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
    // Set before the call: if it sets some of the attributes and fails, they are restored.
    isRaw = true
    try systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &raw) }
    var taken = raw
    tcgetattr(STDIN_FILENO, &taken)
    // If no process can be started, there is no guard: SIGKILL leaves the terminal raw.
    _ = terminal_guard_start(STDIN_FILENO, &found, &taken)
  }

  package func restore() {
    guard isRaw else { return }
    isRaw = false
    var attributes = found
    // TCSANOW does not wait for a terminal that takes no output. Fails only when the terminal is gone.
    _ = try? systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &attributes) }
    terminal_guard_stop()
  }

  package func retake() throws(Errno) {
    if !isRaw { try systemCall { tcgetattr(STDIN_FILENO, &found) } }
    try makeRaw()
  }
}
