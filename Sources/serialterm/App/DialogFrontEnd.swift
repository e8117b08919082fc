import EventLoop
import Glibc
import Posix
import Reconnecting
import SystemPackage
import Terminal

/// The front end of a program without sessions: dialogs on the user's terminal, such as the choice of a session.
final class DialogFrontEnd: FrontEnd {
  let app: App
  private(set) lazy var dialogs = Dialogs(on: app.console, loop: app.loop) { [unowned self] in
    receiver = $0
  }
  private(set) lazy var saver = FileSaver(on: app.console, dialogs: dialogs, loop: app.loop)
  private let terminal: (any TerminalMode)?
  private var receiver: ((UnsafeRawBufferPointer) -> Int)?
  private var watch: DescriptorWatch?
  private var onBegin: () -> Void = {}

  /// The maximum time for the terminal to show the remaining output.
  private static let showPatience = Duration.milliseconds(200)

  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(on streams: TerminalStreams = .standard) throws(Errno) {
    terminal = UserTerminal(draws: streams.screenKind == .drawing)
    app = try App(among: DeviceCatalog(), on: streams, isQuiet: false, isRaw: true)
  }

  /// Shows dialogs until ``App/finish(_:)``.
  ///
  /// - Parameter begin: opens the first dialog.
  /// - Throws: ``Failure``, and the errors of the system.
  func run(_ begin: @escaping () -> Void) throws -> ExitStatus {
    onBegin = begin
    return try app.run(self)
  }

  // MARK: The front end

  let signals: [CInt] = [SIGTSTP, SIGCONT, SIGWINCH]

  func take(signal: CInt) -> Bool {
    switch signal {
    case SIGTSTP:
      app.console.suspend(within: Self.showPatience)
      terminal?.restore()
      // SIGTSTP itself is blocked. The next line runs after SIGCONT.
      raise(SIGSTOP)
    case SIGCONT:
      _ = try? terminal?.retake()
      app.console.screen.resume()
    case SIGWINCH: app.console.screen.sizeDidChange()
    default: return false
    }
    return true
  }

  func open() throws {
    try terminal?.makeRaw()
    app.console.onOutputGone = { [unowned self] _ in app.finish(.success(.signal(SIGHUP))) }
    app.console.screen.onFocus = { [unowned self] in terminal?.noteCursor(in: $0) }
    watch = try app.loop.watch(.standardInput, for: .reading, isUrgent: true) {
      [unowned self] _ in read()
    }
  }

  func begin() { onBegin() }

  func finishOutput() throws { try app.goOn { saver.isWriting } }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  func giveBack() {
    dialogs.dismiss()
    _ = app.console.finish(within: Self.showPatience)
    terminal?.restore()
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      guard case .bytes(let count)? = try? FileDescriptor.standardInput.readAvailable(into: buffer)
      else { return app.finish(.success(.signal(SIGHUP))) }
      var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      while !rest.isEmpty, app.outcome == nil, let receiver {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(receiver(rest)))
      }
    }
  }
}
