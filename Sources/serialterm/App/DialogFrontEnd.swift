import EventLoop
import Glibc
import Observing
import Posix
import Reconnecting
import SystemPackage
import Terminal

/// The front end of a program without sessions: dialogs on the user's terminal, such as the choice
/// of a session.
final class DialogFrontEnd: FrontEnd {
  let app: App
  private(set) lazy var dialogs = Dialogs(on: app.console, loop: app.loop)
  private(set) lazy var saver = FileSaver(on: app.console, dialogs: dialogs, loop: app.loop)
  private let terminal: (any TerminalMode)?
  private var watch: DescriptorWatch?
  private var output: ObservationToken<OutputChannel.Event>?
  private var cursor: ObservationToken<Change<Screen.CursorPlace>>?
  /// The terminal is ready for the first dialog.
  private let beginnings = Observable<Void>()

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
    let beginning = beginnings.observe(begin)
    return try withExtendedLifetime(beginning) { try app.run(self) }
  }

  // MARK: The front end

  let signals: [CInt] = [SIGTSTP, SIGCONT, SIGWINCH]

  func handle(signal: CInt) -> Bool {
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
    output = app.console.outputEvents.observe { [unowned self] in
      if case .gone = $0 { app.finish(.success(.signal(SIGHUP))) }
    }
    cursor = app.console.screen.$cursorPlace.observe { [unowned self] in
      terminal?.noteCursor(in: $0.new)
    }
    watch = try app.loop.watch(.standardInput, for: .reading, isUrgent: true) {
      [unowned self] _ in read()
    }
  }

  func begin() { beginnings.notify(()) }

  func finishOutput() throws { try app.runOn { saver.isWriting } }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  func finishDisplay() {
    dialogs.dismiss()
    _ = app.console.finish(within: Self.showPatience)
    terminal?.restore()
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      guard case .bytes(let count)? = try? FileDescriptor.standardInput.readAvailable(into: buffer)
      else { return app.finish(.success(.signal(SIGHUP))) }
      var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      while !rest.isEmpty, app.outcome == nil, dialogs.isOpen {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(dialogs.receive(typed: rest)))
      }
    }
  }
}
