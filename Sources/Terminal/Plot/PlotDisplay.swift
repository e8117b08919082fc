package import EventLoop
package import Plotting
package import TerminalWidgets

/// Shows a ``PlotPanel`` at the top of the screen, and passes it the keys while it is open
/// as a dialog.
///
/// The chart is drawn at most ten times a second, and not at all while nothing changes. A slow
/// terminal delays the drawing, never the recording.
package final class PlotDisplay: Dialog {
  /// What the owner of the plot has to do.
  package enum Event {
    /// The user wants to save what is plotted.
    case save
    /// The user wants to type the length of the window, or the range of values.
    case askWindow, askRange
    /// The plot must not have the keys any longer: the user wants to type to the device again, or
    /// the window has become too small for the plot.
    case left
    /// The user closes the plot.
    case closed
    /// The user has changed the height of the plot.
    case resized
  }

  package private(set) var panel: PlotPanel
  /// Whether the plot is on the screen.
  package private(set) var isShown = false
  private let console: Console
  private let recording: () -> Recording
  private let source: () -> PlotPanel.Source
  private let onEvent: (Event) -> Void
  private lazy var drawing: Coalescer = Coalescer(on: loop, interval: .milliseconds(100)) {
    [unowned self] in console.screen.refreshTop()
  }
  private let loop: IOLoop

  /// Creates a display, which is not shown yet.
  ///
  /// - Parameters:
  ///   - recording: returns what is plotted; called for each drawing and each key.
  ///   - source: returns what else the panel shows.
  ///   - onEvent: called in a turn of the loop.
  package init(
    _ panel: PlotPanel, of recording: @escaping () -> Recording,
    from source: @escaping () -> PlotPanel.Source, on console: Console, loop: IOLoop,
    onEvent: @escaping (Event) -> Void
  ) {
    self.panel = panel
    self.recording = recording
    self.source = source
    self.onEvent = onEvent
    self.console = console
    self.loop = loop
  }

  /// The settings of the plot.
  package var settings: PlotSettings {
    get { panel.settings }
    set {
      panel.settings = newValue
      update(isUrgent: true)
    }
  }

  // MARK: The screen

  /// Whether the window has room for a plot.
  package var fits: Bool {
    let size = console.screen.textSize
    return isShown || panel.height(on: size) > 0
  }

  /// Shows the plot above the text, or shows it again with another height.
  package func show() {
    isShown = true
    console.screen.setTop(
      Screen.Top(
        height: { [unowned self] in height(on: $0) },
        lines: { [unowned self] size in
          panel.size = size
          return panel.lines(of: recording(), on: size, source())
        }))
  }

  private func height(on size: ScreenSize) -> Int {
    let height = panel.height(on: size)
    if height == 0, panel.hasKeys { loop.atEndOfTurn { [weak self] in self?.onEvent(.left) } }
    return height
  }

  /// Removes the plot from the screen.
  package func hide() {
    isShown = false
    drawing.cancel()
    console.screen.setTop(nil)
  }

  /// Draws new points soon.
  package func update(isUrgent: Bool = false) {
    if isShown { drawing.post(isUrgent: isUrgent) }
  }

  // MARK: Keys

  package func open() {
    panel.hasKeys = true
    update(isUrgent: true)
  }

  package func close() {
    panel.hasKeys = false
    update(isUrgent: true)
  }

  package func refresh() {}

  package func handle(_ key: Key) {
    switch panel.handle(key, of: recording()) {
    case .unchanged: break
    case .changed: update(isUrgent: true)
    case .resized: resize()
    case .save: onEvent(.save)
    case .askWindow: onEvent(.askWindow)
    case .askRange: onEvent(.askRange)
    case .left: leave()
    case .closed: onEvent(.closed)
    }
  }

  /// Takes nearly the whole screen.
  package func fill() {
    panel.isFull = true
    resize()
  }

  /// Makes room for the text that the user will type and see.
  private func leave() {
    if panel.isFull {
      panel.isFull = false
      resize()
    }
    onEvent(.left)
  }

  private func resize() {
    show()
    onEvent(.resized)
  }
}
