package import EventLoop
import Glibc
package import Observing
package import SystemPackage
package import TerminalWidgets
import TextTools
package import Time

/// Shows a session: the device's bytes on standard output, messages on standard error.
///
/// If both are the same terminal, messages use the channel of standard output. The order is then
/// right, and one place handles a stalled terminal.
package final class Console {
  package let isOutputTerminal: Bool
  private let output: OutputChannel
  private var gaps: ObservationToken<OutputChannel.Gap>?
  /// Draws on standard output.
  package let screen: Screen
  /// Nil if messages use the channel of standard output.
  private let messages: OutputChannel?
  /// The capabilities of standard output.
  package let kind: ScreenKind
  /// The style of standard output.
  package let outputStyle: TextStyle
  /// The time from which all views on this console count: one clock for all ports.
  package let start = Moment.now
  private let style: TextStyle
  private let streams: TerminalStreams
  /// Whether only failures are printed.
  package var isQuiet: Bool
  /// Whether lines end with CR LF because the terminal is in raw mode.
  private let isRaw: Bool
  /// Whether the device's last line is incomplete.
  private var isMidLine = false
  /// Whether the last line on standard error, if that is separate, is incomplete.
  private var isMessageMidLine = false
  /// The progress in the last line of a terminal that has only messages; nil for none.
  private var progress: String?

  /// Creates a console.
  ///
  /// - Parameters:
  ///   - streams: the streams for bytes and messages.
  ///   - loop: the loop that watches readiness.
  ///   - isQuiet: whether only failures are printed.
  ///   - isRaw: whether the user's terminal is in raw mode while the session runs.
  /// - Throws: the errors of epoll_ctl(2).
  package init(
    _ streams: TerminalStreams = .standard, on loop: IOLoop, isQuiet: Bool, isRaw: Bool
  ) throws(Errno) {
    self.streams = streams
    self.isQuiet = isQuiet
    self.isRaw = isRaw
    kind = streams.screenKind
    isOutputTerminal = kind != .none
    output = try OutputChannel(
      streams.output, on: loop, whenFull: isOutputTerminal ? .leaveOut : .pushBack)
    screen = Screen(
      output, draws: kind == .drawing, hasAlternateScreen: streams.hasAlternateScreen,
      size: streams.screenSize)
    outputStyle = streams.outputStyle
    style = streams.messageStyle
    messages =
      isOutputTerminal && streams.areShared
      ? nil : try? OutputChannel(streams.messages, on: loop, whenFull: .leaveOut)
    gaps = output.gaps.observe { [unowned self] in
      switch $0 {
      case .began: screen.gapDidBegin()
      case .ended:
        // The bytes of the panel and of the status line may also have been dropped or truncated.
        isMidLine = false
        screen.rewrite()
      }
    }
  }

  /// What the reader of standard output did. Room means that ``isCrowded`` is false again.
  package var outputEvents: Observable<OutputChannel.Event> { output.events }

  /// Whether the cursor is known to be in the first column.
  package var isAtMargin: Bool { !isMidLine && messages == nil }

  /// Whether messages go to a file or a socket, such as that of the journal. There they are kept,
  /// and others may read them.
  package var keepsMessages: Bool {
    guard messages != nil else { return false }
    return switch try? streams.messages.stat().type {
    case .regular, .socket: true
    default: false
    }
  }

  /// Whether standard output is open for writing.
  package var isOutputUsable: Bool { output.isUsable }

  /// Whether the device should pause.
  package var isCrowded: Bool { output.isCrowded }

  /// Whether standard output has accepted everything.
  package var isDrained: Bool { output.isDrained }

  /// Shows bytes of the device unchanged.
  package func show(_ bytes: UnsafeRawBufferPointer) {
    guard let last = bytes.last else { return }
    isMidLine = last != UInt8(ascii: "\n")
    screen.show(bytes)
  }

  // MARK: Progress

  /// The kind of the stream for messages, which is where progress is shown.
  package var progressKind: ScreenKind { messages == nil ? kind : streams.messageKind }

  /// Draws the progress of an operation in the last line of the terminal for messages, or removes
  /// it. Does nothing if that is no terminal, or cannot draw.
  package func setProgress(_ text: String?) {
    guard progressKind == .drawing else { return }
    guard messages != nil else { return screen.setStatus(text.map(StatusParts.init)) }
    eraseProgress()
    progress = text
    drawProgress()
  }

  private func drawProgress() {
    guard let progress, let columns = streams.messageColumns() else { return }
    let line = StyledLine(progress).clipped(toWidth: max(columns - 1, 0))
    messages?.write(line.text.forTerminal, isMessage: true)
  }

  private func eraseProgress() {
    if progress != nil { messages?.write("\r\u{1B}[K", isMessage: true) }
  }

  // MARK: Messages

  /// Echoes the user's answer to a question, because the terminal's own echo is off. It follows the
  /// question, and is not mixed with the device's bytes in a file or a pipe.
  package func echo(_ text: String) {
    let text = TerminalCharacters.areASCII ? text.asciiForm : text
    if let messages {
      isMessageMidLine = true
      return messages.write(text, isMessage: true)
    }
    isMidLine = true
    screen.show(text)
    screen.cursorDidMove(toMargin: false)
  }

  /// Prints a message about the session on a separate line, unless `--quiet` is given.
  package func say(_ text: String) {
    if !isQuiet { warn(text) }
  }

  /// Prints a message of one line, even with `--quiet`.
  package func warn(_ text: String) { answer([text]) }

  /// Prints an answer to the user, even with `--quiet`.
  package func answer(_ lines: [String]) {
    let width = messageWidth
    sayLines(
      lines.enumerated().flatMap { number, line in
        ((number == 0 ? "serialterm: " : "") + line.harmless).forTerminal.messageLines(width: width)
      }.map { StyledLine($0) })
  }

  /// The number of columns of the terminal for messages; nil if they go to a file or a pipe.
  private var messageWidth: Int? {
    if messages == nil { return isOutputTerminal ? screen.textSize.columns : nil }
    return streams.messageColumns()
  }

  /// Prints an answer with styles.
  package func answer(_ lines: [StyledLine]) { sayLines(lines) }

  /// A line with its styles, as standard output shows it.
  func styled(_ line: StyledLine) -> String { outputStyle.text(of: line).forTerminal }

  /// Rings the bell of the terminal with the session, or of the one with the messages. Does nothing
  /// without a terminal.
  package func ringBell() {
    if isOutputTerminal {
      screen.ring()
    } else if streams.messageColumns() != nil {
      messages?.write("\u{07}", isMessage: true)
    }
  }

  /// Clears the screen and moves the cursor to its top left corner.
  package func clear() {
    guard isOutputTerminal else { return }
    screen.clear()
    isMidLine = false
  }

  /// The line end of the user's terminal.
  var lineEnd: String { isRaw ? "\r\n" : "\n" }

  private func sayLines(_ lines: [StyledLine]) {
    // Messages on another terminal, or in a file, do not interrupt the device's line.
    let text = lines.map { style.text(of: $0).forTerminal + lineEnd }.joined()
    if let messages {
      eraseProgress()
      endSharedLine()
      messages.write(isMessageMidLine ? lineEnd + text : text, isMessage: true)
      isMessageMidLine = false
      drawProgress()
      return
    }
    // What a full-screen program has drawn is not moved.
    if screen.note(lines, as: text) { return }
    screen.say(isMidLine ? lineEnd + text : text)
    isMidLine = false
    screen.cursorDidMove(toMargin: true)
  }

  /// Ends the device's line if a program such as tee(1) may show it on the terminal
  /// of the messages.
  private func endSharedLine() {
    guard readerMayShow, isMidLine else { return }
    messages?.write(lineEnd, isMessage: true)
    isMidLine = false
  }

  /// Whether standard output is a pipe whose reader may show the bytes on the user's terminal.
  private lazy var readerMayShow =
    isRaw && streams.messageColumns() != nil
    && (try? streams.output.stat().type == .fifo) ?? false

  /// Removes the panel and the status line, and waits until the terminal has shown this. Another
  /// program uses the terminal until ``Screen/resume()``.
  package func suspend(within limit: Duration) {
    screen.suspend()
    _ = output.finish(within: limit)
  }

  /// Discards queued output, and restores the terminal as far as it accepts output.
  package func giveUp() { screen.giveUp() }

  /// Ends the device's last line, so that the shell's prompt begins on a new one, and writes the
  /// queue within a time limit.
  ///
  /// - Returns: the number of bytes that were not written.
  package func finish(within limit: Duration) -> Int {
    setProgress(nil)
    screen.finish()
    if isMidLine && isOutputTerminal {
      output.write(lineEnd)
      // This may be called twice at the end of a session.
      isMidLine = false
    }
    let left = output.finish(within: limit)
    endSharedLine()
    _ = messages?.finish(within: limit)
    return left
  }
}
