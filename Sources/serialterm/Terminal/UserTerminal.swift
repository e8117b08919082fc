internal import CTerminalGuard
import Glibc
import Posix
import SystemPackage

/// The user's own terminal: in raw mode while a session runs, and given back as it was found,
/// whatever becomes of the session.
final class UserTerminal {
  private var found: termios
  private var isRaw = false

  /// - Returns: nil when standard input is no terminal.
  init?() {
    var attributes = termios()
    guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { return nil }
    found = attributes
  }

  deinit { restore() }

  /// Hands every key on as it is pressed, with nothing done to it, in either direction.
  ///
  /// The corresponding C functions are `cfmakeraw` and `tcsetattr`.
  ///
  /// - Throws: what tcsetattr(3) says.
  func makeRaw() throws(Errno) {
    var raw = found
    cfmakeraw(&raw)
    // Set before the call: if it takes some of the attributes and fails, there is what to restore.
    isRaw = true
    try systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &raw) }
    var taken = raw
    tcgetattr(STDIN_FILENO, &taken)
    // Without a guard, for want of processes, only SIGKILL leaves the terminal raw.
    _ = terminal_guard_start(STDIN_FILENO, &found, &taken)
  }

  /// Gives the terminal back as it was found. Calling it again does nothing.
  func restore() {
    guard isRaw else { return }
    isRaw = false
    var attributes = found
    // TCSANOW: a terminal that does not take its output must not keep us. Fails only when the
    // terminal is gone.
    _ = try? systemCall { tcsetattr(STDIN_FILENO, TCSANOW, &attributes) }
    terminal_guard_stop()
  }

  /// Takes the terminal again after we were stopped. Whoever had it meanwhile may have set it up.
  ///
  /// - Throws: what tcgetattr(3) and tcsetattr(3) say.
  func retake() throws(Errno) {
    if !isRaw { try systemCall { tcgetattr(STDIN_FILENO, &found) } }
    try makeRaw()
  }
}
