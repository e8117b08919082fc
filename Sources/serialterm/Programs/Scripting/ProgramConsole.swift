import Glibc
import Posix
import SystemPackage
import Terminal
import TextTools

/// The standard streams of `connect --console`: another program uses the session as its console, at
/// pipes or at a pseudo-terminal.
///
/// Standard output has the device's bytes and nothing else, so messages leave it: they go to a
/// file, to standard error, or nowhere if that is standard output, too.
struct ProgramConsole {
  /// The terminal at standard input, which must not change bytes; nil if it is none.
  private let terminal: UserTerminal?

  /// Redirects the messages of the process.
  ///
  /// - Parameter messages: the file for messages; nil for standard error.
  /// - Throws: ``Failure`` if the file cannot be written.
  init(messagesIn messages: FilePath?) throws(Failure) {
    if let messages {
      do throws(Errno) {
        try Self.redirectErrors(to: messages)
      } catch {
        throw Failure(.usage, "--messages \(messages.string.harmless): \(error).")
      }
    } else if TerminalStreams.areSame(.standardOutput, .standardError) {
      // Without /dev/null, messages stay where they are.
      _ = try? Self.redirectErrors(to: "/dev/null")
    }
    terminal = UserTerminal(draws: false)
  }

  /// Runs a session in the environment of a pipe, while the terminal at standard input, if it is
  /// one, is in raw mode.
  func run(_ session: (UserInterface.Environment) throws -> ExitStatus) throws -> ExitStatus {
    try terminal?.makeRaw()
    Self.silenceOtherEnd(of: .standardInput)
    Self.silenceOtherEnd(of: .standardOutput)
    defer { terminal?.restore() }
    return try session(UserInterface.Environment(streams: .pipes, terminal: nil))
  }

  /// Sets raw mode at the other end of a pseudo-terminal, if the stream is its master. Until a
  /// program has set that end up, it would send all that the device says back to the device.
  ///
  /// It is not set back: the settings are that program's.
  private static func silenceOtherEnd(of stream: FileDescriptor) {
    var attributes = termios()
    guard stream.isPseudoTerminalMaster, tcgetattr(stream.rawValue, &attributes) == 0
    else { return }
    cfmakeraw(&attributes)
    // If it fails, the bytes still pass, and the other program sets raw mode itself.
    _ = tcsetattr(stream.rawValue, TCSANOW, &attributes)
  }

  /// Makes a file the standard error of the process. It is added to.
  private static func redirectErrors(to path: FilePath) throws(Errno) {
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
    let file = OwnedDescriptor(
      FileDescriptor(
        rawValue: try systemCall { path.withPlatformString { open($0, flags, 0o600) } }))
    try systemCall { dup2(file.borrowed.rawValue, STDERR_FILENO) }
  }
}
