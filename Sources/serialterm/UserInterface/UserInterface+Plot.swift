import Plotting
import Posix
import Scrollback
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets

/// Plotting the numbers that the devices send.
extension UserInterface {
  func makePlot() -> PlotController {
    let plot = PlotController(
      on: console, dialogs: dialogs, loop: loop,
      key: { [unowned self] in
        terminal == nil || input.prefix == .none
          ? nil : "\(input.prefix) \(Command.plot.key ?? " ")"
      }, isTyping: { [unowned self] in isTypingLine })
    plot.onEnd = { [unowned self] in quit() }
    plot.onSave = { [unowned self] in askWhatToSave() }
    plot.onChange = { [unowned self] in plotDidChange() }
    plot.onResize = { [unowned self] in followSize() }
    return plot
  }

  func showPlot() -> CommandOutcome { plot.show(ports) }

  func readNumbers(as form: SampleForm?) {
    for port in ports { port.model.update { $0.plotForm = form } }
    plot.read(as: form, ports)
  }

  // MARK: Saving

  func askWhatToSave() {
    guard let recorder = plot.recorder else { return }
    plotSaver.ask(
      suggesting: (FilePath(".").realPath ?? ".")
        .appending("plot-\(focus.controller.log.portFileName)"),
      allValues: "all values in the scrollback",
      refusal: ports.allSatisfy { $0.scrollback == nil } ? "nothing is kept" : nil,
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
        console.warn(error.message)
        return nil
      }
    }
    let kept = ports.compactMap { port in
      port.scrollback.map { (port.name, ScrollbackCopy(of: $0)) }
    }
    let table = ScrollbackTable(
      of: kept, as: plot.configuration.form,
      in: content == .allValues ? nil : settings.times(of: recorder.recording))
    return { put throws(Errno) in try table.write(to: put) }
  }

  private func plotDidChange() {
    // While the plot is shown, a device may not draw, because it would draw over the plot.
    for port in ports where port.view.place.isWholeScreen { port.view.placeDidChange() }
    for port in ports { port.model.update { $0.showsPlot = plot.isShown } }
    followSize()
  }
}
