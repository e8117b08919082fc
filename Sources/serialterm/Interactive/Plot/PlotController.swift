import EventLoop
import Observing
import Plotting
import Scrollback
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools
import Time

/// Plots the numbers of the ports of an interactive session.
///
/// Until the plot is opened, only a ``NumberWatch`` looks at the bytes. When it is opened, what the
/// scrollback has is read, and from then on every line is recorded, also while the plot is closed
/// for a while.
final class PlotController {
  /// How the plot begins.
  struct Configuration {
    /// The form of the lines; nil to detect it.
    var form: SampleForm?
    var settings = PlotSettings(window: .seconds(60))
    /// Whether the plot is opened with the session, on the whole screen, and the program ends when
    /// it is closed.
    var isWholeProgram = false
    /// The file for a picture at the end; nil for none.
    var picture: FilePath?
    /// What of the recording is in the picture.
    var pictureWindow = PlotSettings.Window.all
    /// The time after which the program ends; nil for none.
    var deadline: Duration?
  }

  /// What the user interface has to do.
  enum Event {
    /// The program should end: its plot was closed, or its time is over.
    case ended
    /// The user wants to save what is plotted.
    case save
    /// The plot takes another part of the screen.
    case resized
  }

  /// Whether the plot is on the screen.
  @Observed private(set) var isShown = false
  private(set) var configuration = Configuration()
  private let console: Console
  private let dialogs: Dialogs
  private let loop: IOLoop
  /// Returns the key of the command in words; nil without one.
  private let key: () -> String?
  private var watches: [ObjectIdentifier: NumberWatch] = [:]
  private var members: [Member] = []
  private var timer: LoopTimer?
  private(set) var recorder: PlotRecorder?
  private(set) var display: PlotDisplay?
  /// Whether the user has given the plot the keys, and not taken them back. Another dialog may
  /// have them meanwhile.
  private var wantsKeys = false
  /// Whether the plot gets the keys with the first numbers. Until then, typing goes to the device.
  private var awaitsNumbers = false
  /// Returns whether the user has typed a line to the device without ending it.
  private let isTyping: () -> Bool
  private let onEvent: (Event) -> Void
  private var additions: ObservationToken<Void>?

  /// A port whose numbers are recorded.
  private struct Member {
    unowned let port: PortPresenter
    let source: Int
    let subscription: Hub.Subscription
  }

  init(
    on console: Console, dialogs: Dialogs, loop: IOLoop, key: @escaping () -> String?,
    isTyping: @escaping () -> Bool, onEvent: @escaping (Event) -> Void
  ) {
    self.isTyping = isTyping
    self.onEvent = onEvent
    self.console = console
    self.dialogs = dialogs
    self.loop = loop
    self.key = key
  }

  // MARK: Ports

  /// Applies a configuration. Call it before the first port is added.
  func adopt(_ configuration: Configuration) { self.configuration = configuration }

  /// Looks for numbers in what a port receives, or records them if the plot was opened before.
  func add(_ port: PortPresenter) {
    if recorder == nil { watch(port) } else { record(port) }
  }

  private func watch(_ port: PortPresenter) {
    let watch = NumberWatch(port.controller.hub, for: configuration.form, on: loop) {
      [unowned self, unowned port] in
      watches[ObjectIdentifier(port)] = nil
      port.model.update { $0.seesNumbers = true }
    }
    watches[ObjectIdentifier(port)] = watch
    // A port that has joined a session, or whose form is chosen now, already has lines.
    port.text.readKept { bytes, _ in watch.read(kept: bytes) }
  }

  private func record(_ port: PortPresenter) {
    guard let recorder else { return }
    let source = recorder.addSource(named: port.name ?? port.endpointName)
    port.text.readKept { recorder.read($0, at: $1, from: source) }
    let subscription = port.controller.hub.subscribe(as: .listener) {
      recorder.read($0, at: Double($1.wallClock) / 1e9, from: source)
    }
    members.append(Member(port: port, source: source, subscription: subscription))
    port.model.update { $0.seesNumbers = true }
  }

  /// Records that the port was lost: lines and curves are not joined with what follows.
  func portWasLost(_ port: PortPresenter) {
    watches[ObjectIdentifier(port)]?.forgetLine()
    for member in members where member.port === port { recorder?.interrupt(member.source) }
  }

  // MARK: The plot

  /// Opens the plot, or gives it the keys. On a terminal without a drawn screen, prints
  /// the values once.
  func show(_ ports: [PortPresenter]) -> CommandOutcome {
    if recorder == nil { start(ports) }
    if dialogs.isPlain {
      dialogs.print(table, rows: console.screen.textSize.rows)
      return .done
    }
    guard let display else { return .done }
    if !display.isShown {
      guard display.fits else {
        return .failed(
          "The window is too small for a plot: it needs \(PlotPanel.leastHeight + 2) rows.")
      }
      open()
    } else {
      giveKeys(to: display)
    }
    return .done
  }

  /// Opens the plot. With the first numbers, it takes the whole screen and gets the keys.
  func begin(_ ports: [PortPresenter]) {
    guard configuration.isWholeProgram else { return }
    awaitsNumbers = true
    if case .failed(let reason) = show(ports) { console.warn(reason) }
    takeKeysOfFirstNumbers()
    timer = configuration.deadline.map { deadline in
      loop.schedule(after: deadline) { [unowned self] in onEvent(.ended) }
    }
  }

  /// Writes the picture of the configuration.
  ///
  /// - Throws: ``Failure``.
  func finish() throws(Failure) {
    guard let picture = configuration.picture, let recorder else { return }
    var settings = display?.settings ?? configuration.settings
    settings.follow()
    settings.window = configuration.pictureWindow
    try PlotPicture.write(to: picture.string, recorder.recording, settings, .clock)
  }

  private func start(_ ports: [PortPresenter]) {
    watches = [:]
    let recorder = PlotRecorder(configuration.form)
    self.recorder = recorder
    for port in ports { record(port) }
    guard !dialogs.isPlain else { return }
    let display = PlotDisplay(
      PlotPanel(
        configuration.settings, isFull: self.display?.panel.isFull ?? false, asks: true),
      of: { [unowned recorder] in recorder.recording },
      from: { [unowned self, unowned recorder] in
        PlotPanel.Source(
          reading: recorder.reading, timeKind: .clock, key: key(),
          isColoured: console.outputStyle.isColoured, isAsking: dialogs.isOpen)
      }, on: console, loop: loop, onEvent: { [unowned self] in handle($0) })
    additions = recorder.additions.observe { [unowned self, unowned display] in
      display.update()
      if awaitsNumbers { loop.atEndOfTurn { [weak self] in self?.takeKeysOfFirstNumbers() } }
    }
    self.display = display
  }

  private func handle(_ event: PlotDisplay.Event) {
    guard let display else { return }
    switch event {
    case .left: leave()
    case .closed: close()
    case .save: onEvent(.save)
    case .askWindow: PlotQuestions(on: dialogs, display).askForWindow()
    case .askRange: PlotQuestions(on: dialogs, display).askForRange()
    case .resized: onEvent(.resized)
    }
  }

  private func open() {
    display?.show()
    isShown = true
  }

  private func close() {
    wantsKeys = false
    dialogs.dismiss()
    if configuration.isWholeProgram { return onEvent(.ended) }
    display?.hide()
    isShown = false
  }

  /// Gives the keys to the device.
  private func leave() {
    wantsKeys = false
    dialogs.dismiss()
  }

  /// Gives the plot the keys if there are numbers and the user is not typing anything else.
  private func takeKeysOfFirstNumbers() {
    guard awaitsNumbers, let display, display.isShown, !dialogs.isOpen, !isTyping(),
      recorder?.recording.times != nil
    else { return }
    display.fill()
    giveKeys(to: display)
  }

  private func giveKeys(to display: PlotDisplay) {
    awaitsNumbers = false
    wantsKeys = true
    dialogs.show(display)
  }

  /// Gives the keys back to the plot after another dialog has closed.
  func takeKeysBack() {
    display?.update(isUrgent: true)
    guard let display, display.isShown, wantsKeys, !dialogs.isOpen else { return }
    dialogs.show(display)
  }

  /// Reads the lines in another form from now on, and what the scrollback has.
  func read(as form: SampleForm?, _ ports: [PortPresenter]) {
    configuration.form = form
    guard recorder != nil else {
      for port in ports { watch(port) }
      return
    }
    let wasShown = isShown
    // The display shows the recorder that ends here.
    display?.hide()
    // The range and the curves that are switched off are those of other series.
    if let old = display?.settings {
      configuration.settings = PlotSettings(window: old.window, isLogarithmic: old.isLogarithmic)
    }
    members = []
    start(ports)
    if wasShown { display?.show() }
  }

  /// The newest values and the ranges of the curves, as a table for screen readers.
  private var table: [StyledLine] {
    guard let recorder else { return [] }
    let rows = PlotTable.rows(of: recorder.recording)
    return ["reading: \(recorder.reading)."].map { StyledLine($0) } + rows.map { StyledLine($0) }
  }
}
