import EventLoop
import Glibc
import Plotting
import Posix
import SessionRunning
import SystemPackage
import TerminalFrontEnd

/// Shows the plot of files on the whole screen, until the user closes it.
final class PlotViewer: FrontEnd {
  private let app: App
  private let recorder: PlotRecorder
  private let terminal: (any TerminalMode)?
  private let timeKind: ChartView.TimeKind
  private let picture: String
  private var display: PlotDisplay?
  private var watch: DescriptorWatch?
  private var keys: KeyReader?

  /// The maximum time for the terminal to show the remaining output.
  private static let showPatience = Duration.milliseconds(200)

  /// - Parameters:
  ///   - recorder: what the files contain.
  ///   - picture: the name of a saved picture, without its suffix.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    _ recorder: PlotRecorder, _ settings: PlotSettings, _ timeKind: ChartView.TimeKind,
    picture: String
  ) throws(Errno) {
    self.recorder = recorder
    self.timeKind = timeKind
    self.picture = picture
    terminal = UserTerminal(draws: true)
    app = try App(among: DeviceCatalog(), isQuiet: false, isRaw: true)
    let (console, loop) = (app.console, app.loop)
    let display = PlotDisplay(
      PlotPanel(settings, isFull: true), of: { [unowned recorder] in recorder.recording },
      from: { [unowned self] in
        PlotPanel.Source(
          reading: recorder.reading, timeKind: timeKind, key: nil,
          isColoured: app.console.outputStyle.isColoured)
      }, on: console, loop: loop)
    display.onLeave = { [unowned self] in app.finish(.success(.done)) }
    display.onClose = { [unowned self] in app.finish(.success(.done)) }
    display.onSave = { [unowned self] in save() }
    self.display = display
  }

  /// Shows the plot until the user closes it.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus { try app.run(self) }

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
    guard let display, display.fits else {
      throw Failure(.otherFailure, "the window is too small for a plot. --svg writes a picture.")
    }
    try terminal?.makeRaw()
    app.console.onOutputGone = { [unowned self] _ in app.finish(.success(.signal(SIGHUP))) }
    let keys = KeyReader(on: app.loop) { [unowned self] in self.display?.handle($0) }
    self.keys = keys
    watch = try app.loop.watch(.standardInput, for: .reading, isUrgent: true) {
      [unowned self] _ in read()
    }
  }

  func begin() {
    display?.show()
    display?.open()
  }

  func stop() {
    watch?.cancel()
    watch = nil
  }

  func giveBack() {
    _ = app.console.finish(within: Self.showPatience)
    terminal?.restore()
  }

  private func read() {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      guard case .bytes(let count)? = try? FileDescriptor.standardInput.readAvailable(into: buffer)
      else { return app.finish(.success(.signal(SIGHUP))) }
      var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      while !rest.isEmpty, let keys {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(keys.take(rest)))
      }
    }
  }

  /// A name that no file has.
  private var freeName: String {
    let names = ["\(picture).svg"] + (2...999).map { "\(picture)-\($0).svg" }
    return names.first { (try? FilePath($0).stat(followTargetSymlink: false)) == nil } ?? names[0]
  }

  /// Writes a picture of what is shown.
  private func save() {
    guard let display else { return }
    do throws(Failure) {
      let name = freeName
      try PlotPicture.write(to: name, recorder.recording, display.settings, timeKind)
      app.console.say("\(name) is written.")
    } catch {
      app.console.warn(error.message)
    }
  }
}
