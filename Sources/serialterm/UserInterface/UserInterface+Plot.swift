import Plotting
import Scrollback
import SystemPackage
import TerminalFrontEnd
import TerminalUI

/// Plotting the numbers that the devices send.
extension UserInterface {
  func makePlot() -> PlotController {
    let plot = PlotController(
      on: console, dialogs: dialogs, loop: loop,
      key: { [unowned self] in
        terminal == nil || input.prefix == .none
          ? nil : "\(input.prefix) \(Command.plot.key ?? " ")"
      })
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

  /// What is saved of a plot.
  private enum Content: Hashable {
    case picture, seenValues, allValues
  }

  func askWhatToSave() {
    guard let recorder = plot.recorder else { return }
    let refusal = ports.allSatisfy { $0.scrollback == nil } ? "nothing is kept" : nil
    dialogs.ask(
      Question<Content>(
        title: "save",
        choices: { _ in
          [
            Choice(id: .picture, title: "picture of what is shown", detail: "SVG"),
            Choice(
              id: .seenValues, title: "values that are shown", detail: "CSV", refusal: refusal),
            Choice(
              id: .allValues, title: "all values in the scrollback", detail: "CSV",
              refusal: refusal),
          ]
        },
        onAnswer: { [unowned self] content in
          dialogs.ask(
            .file(
              "save to", for: self,
              onAnswer: { [unowned self] path in save(content, of: recorder, to: path) }))
        }))
  }

  private func save(_ content: Content, of recorder: PlotRecorder, to path: FilePath) {
    let settings = plot.display?.settings ?? PlotSettings()
    switch content {
    case .picture:
      do throws(Failure) {
        let text = try PlotPicture.document(of: recorder.recording, settings, .clock, title: nil)
        write(to: path, permitting: .replace) { put throws(Errno) in try put(Array(text.utf8)) }
      } catch {
        console.warn(error.message)
      }
    case .seenValues, .allValues:
      let kept = ports.compactMap { port in
        port.scrollback.map { (port.name, ScrollbackCopy(of: $0)) }
      }
      let table = ScrollbackTable(
        of: kept, as: plot.configuration.form,
        in: content == .allValues ? nil : settings.times(of: recorder.recording))
      write(to: path, permitting: .replace) { put throws(Errno) in try table.write(to: put) }
    }
  }

  private func plotDidChange() {
    // While the plot is shown, a device may not draw, because it would draw over the plot.
    for port in ports where port.view.place.isWholeScreen { port.view.placeDidChange() }
    for port in ports { port.model.update { $0.showsPlot = plot.isShown } }
    followSize()
  }
}
