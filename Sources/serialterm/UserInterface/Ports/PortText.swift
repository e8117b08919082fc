import EventLoop
import Observing
import Scrollback
import Sessions
import Terminal
import TerminalWidgets
import TextTools
import Time

/// What the device of a port sends, as the user sees it: through the filter or the view, and in the scrollback.
final class PortText {
  let view: DeviceView
  let filter: FilterController
  /// The scrollback; nil if received bytes are not kept.
  @Observed private(set) var scrollback: Scrollback?
  /// The received bytes that were just shown. They are valid during the call.
  let shown = Observable<UnsafeRawBufferPointer>()

  private let port: Port
  private let console: Console
  /// The subscription to received bytes. The device waits for a slow terminal if it can, and always for a pipe.
  private var subscription: Hub.Subscription?
  private var keeping: Hub.Subscription?
  private var observations: [AnyObject] = []

  init(of port: Port, _ configuration: ConnectConfiguration, on console: Console, loop: IOLoop) {
    (self.port, self.console) = (port, console)
    view = DeviceView(configuration.view, on: console, loop: loop)
    filter = FilterController(configuration.filter, to: view, on: console, loop: loop)
    port.model.follow(filter, scrollback: $scrollback)
    observations = [
      filter.room.observe { [unowned self] in updateRoom() },
      port.controller.news.observe { [unowned self] in
        switch $0 {
        case .mark(let mark): show(mark)
        case .far(.history(let bytes, let time)): showHistory(bytes, time)
        case .far(.missed(let count)): showGap(count)
        default: break
        }
      },
    ]
  }

  /// Starts to show received bytes.
  func start() {
    subscription = port.controller.hub.subscribe(
      as: .view, whenFull: console.isOutputTerminal ? .waitOrLeaveOut : .wait
    ) { [unowned self] in show($0, at: $1) }
    if console.isOutputTerminal { filter.start() }
  }

  /// Shows the text as the state demands.
  func follow(_ state: TerminalState) {
    var settings = state.view
    settings.echoesLocally = state.echoesLocally
    view.settings = settings
  }

  private func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    if filter.isOn { filter.take(bytes) } else { display(bytes, at: moment) }
    if isCrowded { updateRoom() }
    shown.notify(bytes)
  }

  /// Shows the bytes that the device sent before the user joined the session. Logs do not get them.
  private func showHistory(_ bytes: [UInt8], _ time: UInt64) {
    bytes.withUnsafeBytes { bytes in
      scrollback?.add(bytes, at: time)
      display(bytes, at: .now.moved(to: time))
    }
  }

  /// Shows bytes without the filter: with the view's stages on a terminal, unchanged in a file or a pipe.
  private func display(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    if console.isOutputTerminal { view.show(bytes, at: moment) } else { view.place.show(bytes) }
  }

  private func showGap(_ count: Int) {
    view.showHeld()
    let text = "[\(count.counted("byte")) of the device missed: this terminal took nothing]"
    console.answer([StyledLine(text, .dimmed)])
  }

  /// Shows a mark after all received bytes.
  private func show(_ mark: Mark) {
    let line = mark.line(port: port.name).harmless
    view.showHeld()
    console.answer([StyledLine(line, .dimmed)])
    scrollback?.addMark(line, at: mark.moment.wallClock)
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

  private func updateRoom() { subscription?.update(isFull: isCrowded) }

  /// Resumes when the screen takes bytes again.
  func screenHasRoom() {
    filter.screenHasRoom()
    updateRoom()
  }

  // MARK: The scrollback

  /// Starts the scrollback. Bytes that a user cannot search are not kept.
  func keep(_ capacity: Int) {
    guard console.isOutputTerminal, capacity != scrollback?.capacity ?? 0 else { return }
    let scrollback = capacity > 0 ? Scrollback(capacity: capacity) : nil
    self.scrollback = scrollback
    keeping = scrollback.map { scrollback in
      port.controller.hub.subscribe(as: .log) { scrollback.add($0, at: $1.wallClock) }
    }
    // The bytes are kept once: members who join the session get them from the scrollback.
    port.controller.sharing.scrollback = scrollback
  }

  /// Calls a function with the newest lines that the scrollback has, the oldest of them first, and with their times in
  /// seconds since 1970. Reading more would hold the session up.
  func readKept(_ body: (UnsafeRawBufferPointer, Double) -> Void) {
    guard let scrollback else { return }
    var (start, rest) = (scrollback.lines.upperBound, Self.readableLimit)
    while start > scrollback.lines.lowerBound, rest > 0 {
      start -= 1
      rest -= scrollback.withLine(start) { $0.bytes.count } ?? 0
    }
    for number in start..<scrollback.lines.upperBound {
      scrollback.withLine(number) { line in
        if !line.isMark { body(line.bytes, Double(line.time) / 1_000) }
      }
    }
  }

  /// The number of bytes that ``readKept(_:)`` reads.
  private static let readableLimit = 4 << 20

  // MARK: The end

  /// Shows the remaining text.
  func finish() {
    filter.stop()
    if console.isOutputTerminal { view.finish() }
  }
}
