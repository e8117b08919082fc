import EventLoop
import Glibc
import SystemPackage
import TerminalUI

/// Where a session is shown: the device's bytes on standard output, what is said about them on
/// standard error.
///
/// Where both are the same terminal, both take the same way, so that they appear in order and a
/// stalled terminal is met in one place.
final class Console {
  /// Called when standard output has no reader any more.
  var onOutputGone: (Errno) -> Void = { _ in }
  /// Called when there is room again after ``isCrowded``.
  var onRoom: () -> Void = {}

  /// Called when all that was written to standard output has been taken.
  var onDrained: () -> Void = {}

  let isOutputTerminal: Bool
  private let output: OutputChannel
  /// Where standard output's bytes are drawn.
  let screen: Screen
  /// Nil where messages go the output's way.
  private let messages: OutputChannel?
  private let style: TextStyle
  /// Whether only failures are said.
  var isQuiet: Bool
  /// Whether lines of messages need a carriage return: the terminal is in raw mode.
  private let isRaw: Bool
  /// Whether the device left the cursor in the middle of a line.
  private var isMidLine = false
  /// The same of what is typed where messages go, if that is elsewhere.
  private var isMessageMidLine = false

  /// Creates a console.
  ///
  /// - Parameters:
  ///   - loop: where readiness is watched.
  ///   - isQuiet: whether only failures are said.
  ///   - isRaw: whether the user's terminal is in raw mode while the session runs.
  /// - Throws: what epoll_ctl(2) says.
  init(on loop: IOLoop, isQuiet: Bool, isRaw: Bool) throws(Errno) {
    self.isQuiet = isQuiet
    self.isRaw = isRaw
    isOutputTerminal = Self.kind != .none
    output = try OutputChannel(
      .standardOutput, on: loop, whenFull: isOutputTerminal ? .leaveOut : .pushBack)
    screen = Screen(output, size: UserTerminal.screenSize)
    style = TextStyle(for: STDERR_FILENO)
    messages =
      isOutputTerminal && Self.isSameFile(.standardOutput, .standardError)
      ? nil : try? OutputChannel(.standardError, on: loop, whenFull: .leaveOut)
    output.onGone = { [unowned self] in onOutputGone($0) }
    output.onDrained = { [unowned self] in onDrained() }
    output.onOverflow = { [unowned self] in screen.gapDidBegin() }
    // What is ours was left out too, and may have been cut off.
    output.onGap = { [unowned self] _ in
      isMidLine = false
      screen.rewrite()
    }
    output.onRoom = { [unowned self] in onRoom() }
  }

  private static func isSameFile(_ one: FileDescriptor, _ other: FileDescriptor) -> Bool {
    guard let one = try? one.stat(), let other = try? other.stat() else { return false }
    return one.deviceID == other.deviceID && one.inode == other.inode
  }

  /// Whether the cursor is known to be in the first column.
  var isAtMargin: Bool { !isMidLine && messages == nil }

  /// Whether the device ought to hold back.
  var isCrowded: Bool { output.isCrowded }

  /// Whether standard output has taken all that was written.
  var isDrained: Bool { output.isDrained }

  /// Shows bytes of the device as they are.
  func show(_ bytes: UnsafeRawBufferPointer) {
    guard let last = bytes.last else { return }
    isMidLine = last != UInt8(ascii: "\n")
    screen.show(bytes)
  }

  // MARK: Saying

  /// Shows what the user types at a question, where the terminal's own echo is off: where the
  /// question stands, which is not among the device's bytes in a file or a pipe.
  func echo(_ text: String) {
    let text = TerminalCharacters.areASCII ? text.asciiForm : text
    if let messages {
      isMessageMidLine = true
      return messages.write(text, isMessage: true)
    }
    isMidLine = true
    screen.show(text)
    screen.onCursorMoved(false)
  }

  /// Says something about the session, on a line of its own, unless the user wants quiet.
  func say(_ text: String) {
    if !isQuiet { warn(text) }
  }

  /// Says what must be known, quiet or not, in one line.
  func warn(_ text: String) { answer([text]) }

  /// Shows what the user asked for: quiet or not.
  func answer(_ lines: [String]) {
    sayLines(lines.enumerated().map { ($0 == 0 ? "serialterm: " : "") + $1.harmless })
  }

  /// The same for lines with styles.
  func answer(_ lines: [StyledLine]) { sayLines(lines.map { style.text(of: $0) }) }

  /// The style that is drawn with.
  let outputStyle = TextStyle(for: STDOUT_FILENO)

  /// What standard output is good for.
  static let kind: TerminalState.ScreenKind =
    isatty(STDOUT_FILENO) == 1 ? (TextStyle.isDumb ? .printing : .drawing) : .none

  /// Clears the terminal's screen and puts the cursor in its first place.
  func clear() {
    guard isOutputTerminal else { return }
    screen.clear()
    isMidLine = false
  }

  private var lineEnd: String { isRaw ? "\r\n" : "\n" }

  private func sayLines(_ lines: [String]) {
    // On another terminal, or in a file, the device's line is not there to be broken.
    let text = lines.map { $0.forTerminal + lineEnd }.joined()
    if let messages {
      endSharedLine()
      messages.write(isMessageMidLine ? lineEnd + text : text, isMessage: true)
      isMessageMidLine = false
      return
    }
    screen.say(isMidLine ? lineEnd + text : text)
    isMidLine = false
    screen.onCursorMoved(true)
  }

  /// Ends the device's line where a program such as tee(1) shows it on the terminal that messages go to.
  private func endSharedLine() {
    guard readerMayShow, isMidLine else { return }
    messages?.write(lineEnd, isMessage: true)
    isMidLine = false
  }

  /// Whether standard output is a pipe whose reader may show it where the user types and reads messages.
  private lazy var readerMayShow =
    isRaw && isatty(STDERR_FILENO) == 1
    && (try? FileDescriptor.standardOutput.stat().type == .fifo) ?? false

  /// Takes everything of ours off the screen and gives the terminal time to show that: somebody else
  /// has it until ``Screen/resume()``.
  func suspend(within limit: Duration) {
    screen.suspend()
    _ = output.finish(within: limit)
  }

  /// Gives up what the terminal has not taken; it is given back as far as it takes anything.
  func giveUp() { screen.giveUp() }

  /// Ends the device's last line, so that the shell's prompt begins a new one, and writes the queue
  /// within a time limit.
  ///
  /// - Returns: how many bytes were not written.
  func finish(within limit: Duration) -> Int {
    screen.finish()
    if isMidLine && isOutputTerminal {
      output.write(lineEnd)
      // The end of a session may call this twice.
      isMidLine = false
    }
    let left = output.finish(within: limit)
    endSharedLine()
    _ = messages?.finish(within: limit)
    return left
  }
}
