package import EventLoop
package import TerminalWidgets
package import TextStages
import TextTools
import Time

/// Shows the text of several ports line by line; see ``TextStages/LineMerger``.
package final class MergedScreen {
  private let console: Console
  private let loop: IOLoop
  private var merger: LineMerger
  private var output: [UInt8] = []
  private var timer: LoopTimer?

  /// The lines of one port.
  package final class Place: ViewPlace {
    private let screen: MergedScreen
    private let port: Int

    fileprivate init(_ screen: MergedScreen, _ port: Int) {
      self.screen = screen
      self.port = port
    }

    package var isWholeScreen: Bool { false }
    package var columns: Int { max(1, screen.console.screen.columns - screen.merger.labelWidth) }
    package var isAtMargin: Bool { true }
    package var permission: EscapeFilter.Permission {
      screen.console.outputStyle.isColoured ? .colours : .none
    }

    // A device's sequences change only its own text, and messages do not move that.
    package func setSource(_ view: any ScreenDelegate) {}
    package func show(_ bytes: UnsafeRawBufferPointer) { screen.show(bytes, from: port) }
    package func showHeld() { screen.finish() }
    package func show(note: StyledLine) {
      guard screen.console.isOutputTerminal else { return screen.console.answer([note]) }
      let text = Array((screen.console.styled(note) + "\n").utf8)
      text.withUnsafeBytes { screen.show($0, from: port) }
    }
    package func willSwitch(with restoration: [UInt8]) {}
    package func setSwitched(_ modes: DeviceModes) {}
    package func restore(_ sequences: [UInt8]) {}
  }

  package init(on console: Console, loop: IOLoop) {
    self.console = console
    self.loop = loop
    let isTerminal = console.isOutputTerminal
    merger = LineMerger(
      LineMerger.Style(
        lineEnd: isTerminal ? console.lineEnd : "\n",
        hasColours: isTerminal && console.outputStyle.isColoured,
        canErase: console.kind == .drawing))
  }

  /// The port whose prompt stays in the last row.
  package var focus: Int {
    get { merger.focus ?? 0 }
    set {
      merger.focus = newValue
      waitIfNeeded()
    }
  }

  /// Names the ports, and returns their places in the same order.
  package func places(named names: [String]) -> [Place] {
    merger.label(names)
    // The view of a new port has made itself the source.
    console.screen.delegate = self
    return names.indices.map { Place(self, $0) }
  }

  private func show(_ bytes: UnsafeRawBufferPointer, from port: Int) {
    merger.columns = console.isOutputTerminal ? console.screen.columns : 0
    write { merger.add(bytes, from: port, at: .now, into: &$0) }
  }

  private func write(_ merge: (inout [UInt8]) -> Void) {
    output.removeAll(keepingCapacity: true)
    merge(&output)
    if !output.isEmpty { output.withUnsafeBytes { console.show($0) } }
    waitIfNeeded()
  }

  /// Waits with one timer for any number of pieces.
  private func waitIfNeeded() {
    guard timer == nil, let deadline = merger.deadline else { return }
    let now = Moment.now.monotonic
    let wait = deadline > now ? Duration.nanoseconds(Int64(clamping: deadline - now)) : .zero
    timer = loop.schedule(after: wait) { [unowned self] in
      timer = nil
      write { merger.tick(at: Moment.now.monotonic, into: &$0) }
    }
  }

  /// Shows the unfinished lines.
  package func finish() { write { merger.finish(into: &$0) } }
}

extension MergedScreen: ScreenDelegate {
  package var deviceState: [UInt8] { EscapeFilter.originalScreenState }

  package func cursorDidMove(toMargin isAtMargin: Bool) {
    if isAtMargin || console.isAtMargin { merger.cursorDidMove() }
  }
}
