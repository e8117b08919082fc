import EventLoop
import Observing
import Plotting
import Posix
import SystemPackage
import Terminal

/// Shows the plot of files on the whole screen, until the user closes it.
final class PlotViewer {
  private let frontEnd: DialogFrontEnd
  private var dialogChanges: ObservationToken<Change<Bool>>?
  private let recorder: PlotRecorder
  private let settings: PlotSettings
  private let timeKind: ChartView.TimeKind
  private let picture: String
  /// Makes the table of the values, or of those at some times; nil if the files cannot
  /// be read again.
  private let table: ((ClosedRange<Double>?) -> FileWrite.Contents)?
  private lazy var display = makeDisplay()
  private lazy var saver = PlotSaver(
    with: frontEnd.dialogs, saver: frontEnd.saver, loop: frontEnd.app.loop)

  /// - Parameters:
  ///   - recorder: what the files contain.
  ///   - picture: the name of a saved picture, without its suffix.
  ///   - table: makes the table of the values, or of those at some times; nil if the files cannot
  ///     be read again.
  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(
    _ recorder: PlotRecorder, _ settings: PlotSettings, _ timeKind: ChartView.TimeKind,
    picture: String, table: ((ClosedRange<Double>?) -> FileWrite.Contents)?
  ) throws(Errno) {
    (self.recorder, self.settings, self.timeKind) = (recorder, settings, timeKind)
    (self.picture, self.table) = (picture, table)
    frontEnd = try DialogFrontEnd()
  }

  /// Shows the plot until the user closes it.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    guard display.fits else {
      throw Failure(.otherFailure, "the window is too small for a plot. --svg writes a picture.")
    }
    return try frontEnd.run { [unowned self] in
      display.show()
      frontEnd.dialogs.show(display)
      dialogChanges = frontEnd.dialogs.$isOpen.observe { [unowned self] _ in takeKeysBack() }
    }
  }

  private func makeDisplay() -> PlotDisplay {
    let app = frontEnd.app
    return PlotDisplay(
      PlotPanel(settings, isFull: true, asks: true, hasDevice: false),
      of: { [unowned recorder] in recorder.recording },
      from: { [unowned self] in
        PlotPanel.Source(
          reading: recorder.reading, timeKind: timeKind, key: nil,
          isColoured: app.console.outputStyle.isColoured)
      }, on: app.console, loop: app.loop, onEvent: { [unowned self] in handle($0) })
  }

  private func handle(_ event: PlotDisplay.Event) {
    switch event {
    case .closed: frontEnd.app.finish(.success(.done))
    case .save: save()
    case .askWindow: PlotQuestions(on: frontEnd.dialogs, display).askForWindow()
    case .askRange: PlotQuestions(on: frontEnd.dialogs, display).askForRange()
    // There is no device to type to.
    case .left, .resized: break
    }
  }

  /// Gives the keys back to the plot when a question is answered, and no other one follows
  /// in this turn.
  private func takeKeysBack() {
    frontEnd.app.loop.atEndOfTurn { [weak self] in
      guard let self, frontEnd.app.outcome == nil, !frontEnd.dialogs.isOpen else { return }
      frontEnd.dialogs.show(display)
    }
  }

  private func save() {
    saver.ask(
      suggesting: (FilePath(".").realPath ?? ".").appending(picture), allValues: "all values",
      refusal: table == nil ? "a pipe cannot be read again" : nil,
      contents: { [unowned self] in contents($0) })
  }

  private func contents(_ content: PlotSaver.Content) -> FileWrite.Contents? {
    switch content {
    case .allValues: return table?(nil)
    case .seenValues: return table?(display.settings.times(of: recorder.recording))
    case .picture:
      do throws(Failure) {
        let text = try PlotPicture.document(
          of: recorder.recording, display.settings, timeKind, title: nil)
        return { put throws(Errno) in try put(Array(text.utf8)) }
      } catch {
        frontEnd.app.console.warn(error.message)
        return nil
      }
    }
  }
}
