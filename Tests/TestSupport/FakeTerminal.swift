import Glibc
import Posix
package import SystemPackage
package import Terminal
package import TerminalWidgets

/// A user's terminal that a test controls, with a pipe for typed bytes and one for shown bytes.
/// Messages have a separate pipe if the output is not a terminal.
package final class FakeTerminal: TerminalMode {
  /// The screen of the terminal.
  package private(set) var screen: ScreenModel
  /// All bytes that were written to it.
  package private(set) var written: [UInt8] = []
  /// Whether raw mode is set.
  package private(set) var isRaw = false
  /// Whether the terminal was told that the cursor is in a panel.
  package private(set) var isCursorAway = false
  /// The bytes that undo what the device has switched.
  package private(set) var restoration: [UInt8] = []
  package let streams: TerminalStreams
  private let size: Size
  private var keyboard: (readEnd: FileDescriptor, writeEnd: FileDescriptor?)
  private var display: (readEnd: FileDescriptor?, writeEnd: FileDescriptor)
  private let messages: (readEnd: FileDescriptor, writeEnd: FileDescriptor)

  private final class Size: @unchecked Sendable {
    var size: ScreenSize
    init(_ size: ScreenSize) { self.size = size }
  }

  package init(
    _ kind: ScreenKind = .drawing,
    size screenSize: ScreenSize = ScreenSize(rows: 24, columns: 80)
  ) throws {
    // A reader that closes must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    let (keyboard, display) = (try FileDescriptor.pipe(), try FileDescriptor.pipe())
    messages = try FileDescriptor.pipe()
    // A process that another test starts must not keep the ends open.
    for pipe in [keyboard, display, messages] {
      for end in [pipe.readEnd, pipe.writeEnd] { _ = fcntl(end.rawValue, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(pipe.readEnd.rawValue, F_SETFL, O_NONBLOCK)
    }
    self.keyboard = (keyboard.readEnd, keyboard.writeEnd)
    self.display = (display.readEnd, display.writeEnd)
    let size = Size(screenSize)
    self.size = size
    screen = ScreenModel(screenSize)
    streams = TerminalStreams(
      input: keyboard.readEnd, output: display.writeEnd,
      messages: kind == .none ? messages.writeEnd : display.writeEnd,
      areShared: kind != .none, screenKind: kind, outputStyle: .plain, messageStyle: .plain,
      screenSize: { size.size }, messageColumns: { nil })
  }

  deinit {
    hangUp()
    _ = try? keyboard.readEnd.close()
    for end in [display.writeEnd, messages.readEnd, messages.writeEnd] { _ = try? end.close() }
  }

  // MARK: The user

  /// Types bytes. A pipe takes 64 KiB.
  package func type(_ bytes: [UInt8]) { _ = try? keyboard.writeEnd?.writeAll(bytes) }

  /// Shows what another program writes.
  package func show(_ text: String) { screen.write(text) }

  /// Reads the shown bytes. Until then the terminal takes 64 KiB.
  package func look() {
    guard let display = display.readEnd else { return }
    let bytes = Self.read(display)
    written += bytes
    screen.write(bytes)
  }

  /// The messages beside the output that were not read yet.
  package var messageText: String { String(decoding: Self.read(messages.readEnd), as: UTF8.self) }

  private static func read(_ end: FileDescriptor) -> [UInt8] {
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = buffer.withUnsafeMutableBytes { (try? end.read(into: $0)) ?? 0 }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// The rows down to the cursor's row, without empty ones.
  package var lines: [String] { screen.history.filter { !$0.isEmpty } }

  /// The rows of the panel and the status line.
  package var panel: [String] {
    screen.below.map { ScreenModel.text(of: $0) }.filter { !$0.isEmpty }
  }

  /// Whether the shown bytes are read.
  package var isDisplayed: Bool { display.readEnd != nil }

  /// Whether pasted text is marked.
  package var marksPastes: Bool {
    let text = String(decoding: written, as: UTF8.self)
    let on = text.ranges(of: "\u{1B}[?2004h").last?.lowerBound
    let off = text.ranges(of: "\u{1B}[?2004l").last?.lowerBound
    return on.map { on in off.map { $0 < on } ?? true } ?? false
  }

  /// Changes the size of the window.
  package func resize(_ size: ScreenSize) {
    self.size.size = size
    screen.resize(to: size)
  }

  /// Ends the input, like the end of a pipe.
  package func endInput() {
    _ = try? keyboard.writeEnd?.close()
    keyboard.writeEnd = nil
  }

  /// Closes the reader of the shown bytes.
  package func closeDisplay() {
    _ = try? display.readEnd?.close()
    display.readEnd = nil
  }

  package func hangUp() {
    endInput()
    closeDisplay()
  }

  // MARK: The mode

  package func makeRaw() throws(Errno) { isRaw = true }
  package func restore() { isRaw = false }
  package func retake() throws(Errno) { isRaw = true }
  package func noteCursor(in place: Screen.CursorPlace) { isCursorAway = place != .text }
  package func noteRestoration(_ bytes: [UInt8]) { restoration = bytes }
}

/// Keeps a failed expectation from printing every byte of the terminal.
extension FakeTerminal: CustomReflectable {
  package var customMirror: Mirror { Mirror(self, children: ["panel": panel]) }
}
