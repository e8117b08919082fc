import EventLoop
import Observing
import Plotting
import Posix
import Scrollback
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// Plots the numbers that the ports of the user receive, and lets the user save them.
final class SessionPlots {
  private(set) lazy var plot = makePlot()
  private let saver: PlotSaver
  private let focus: PortFocus
  private let keyboard: Keyboard
  private let sizes: SizeFollower
  private let app: App
  /// Ends the program.
  private let quit: () -> Void
  private var plotChanges: ObservationToken<Change<Bool>>?
  private var dialogChanges: ObservationToken<Change<Bool>>?
  private var losses: [ObservationToken<Change<TerminalState>>] = []

  init(
    of focus: PortFocus, _ keyboard: Keyboard, _ sizes: SizeFollower, saver: FileSaver, in app: App,
    quit: @escaping () -> Void
  ) {
    (self.focus, self.keyboard, self.sizes, self.app) = (focus, keyboard, sizes, app)
    self.quit = quit
    self.saver = PlotSaver(with: keyboard.dialogs, saver: saver, loop: app.loop)
  }

  private func makePlot() -> PlotController {
    let plot = PlotController(
      on: app.console, dialogs: keyboard.dialogs, loop: app.loop,
      key: { [keyboard] in keyboard.terminal == nil ? nil : keyboard.keys.name(of: .plot) },
      isTyping: { [keyboard] in keyboard.isTypingLine },
      onEvent: { [unowned self] in
        switch $0 {
        case .ended: quit()
        case .save: askWhatToSave()
        case .resized: sizes.updateSize()
        }
      })
    plot.adopt(focus.ports[0].configuration.plot)
    plotChanges = plot.$isShown.observe { [unowned self] _ in plotDidChange() }
    return plot
  }

  /// Looks for numbers in what a port receives.
  func add(_ port: PortPresenter) {
    port.model.followPlot(plot)
    plot.add(port)
    losses.append(
      port.model.$state.observe(\.session.isOpen) { [unowned self, unowned port] isOpen in
        if !isOpen.new { plot.portWasLost(port) }
      })
  }

  /// Reads numbers in a form from now on; nil to detect it.
  func readNumbers(as form: SampleForm?) {
    for port in focus.ports { port.model.update { $0.plotForm = form } }
    plot.read(as: form, focus.ports)
  }

  /// Starts to follow the dialogs: the plot gets the keys back after one has closed.
  func begin() {
    dialogChanges = keyboard.dialogs.$isOpen.observe { [unowned self] _ in takeKeysBack() }
  }

  /// At the end of the turn, because the dialog that has closed may be about to be replaced.
  private func takeKeysBack() {
    app.loop.atEndOfTurn { [weak self] in
      guard let self, focus.state.exchange == nil else { return }
      plot.takeKeysBack()
    }
  }

  // MARK: Saving

  /// Asks what of the plot to save, and where.
  func askWhatToSave() {
    guard let recorder = plot.recorder else { return }
    saver.ask(
      suggesting: (FilePath(".").realPath ?? ".")
        .appending("plot-\(focus.port.controller.log.portFileName)"),
      allValues: "all values in the scrollback",
      refusal: focus.ports.allSatisfy { $0.scrollback == nil } ? "nothing is kept" : nil,
      contents: { [unowned self] in contents($0, of: recorder) })
  }

  private func contents(
    _ content: PlotSaver.Content, of recorder: PlotRecorder
  ) -> FileWrite.Contents? {
    let settings = plot.display?.settings ?? PlotSettings()
    guard content != .picture else {
      do throws(Failure) {
        let text = try PlotPicture.document(of: recorder.recording, settings, .clock, title: nil)
        return { put throws(Errno) in try put(Array(text.utf8)) }
      } catch {
        app.console.warn(error.message)
        return nil
      }
    }
    let kept = focus.ports.compactMap { port in
      port.scrollback.map { (port.name, ScrollbackCopy(of: $0)) }
    }
    let table = ScrollbackTable(
      of: kept, as: plot.configuration.form,
      in: content == .allValues ? nil : settings.times(of: recorder.recording))
    return { put throws(Errno) in try table.write(to: put) }
  }

  private func plotDidChange() {
    // While the plot is shown, a device may not draw, because it would draw over the plot.
    for port in focus.ports where port.view.place.isWholeScreen { port.view.placeDidChange() }
    sizes.updateSize()
  }
}
