import Encodings
import EventLoop
import Observing
import Options
import Scrollback
import Sessions
import Terminal
import TerminalWidgets
import TextTools
import TextStages
import Time

/// What the device of a port sends, as the user sees it: through the filter or the view, and
/// in the scrollback.
final class PortText {
  let view: DeviceView
  let filter: FilterController
  /// The scrollback; nil if received bytes are not kept.
  @Observed private(set) var scrollback: Scrollback?
  /// The received bytes that were just shown. They are valid during the call.
  let shown = Observable<UnsafeRawBufferPointer>()

  private let port: Port
  private let console: Console
  private let loop: IOLoop
  /// The subscription to received bytes. The device waits for a slow terminal if it can, and always
  /// for a pipe.
  private var subscription: Hub.Subscription?
  /// The notes about addresses, below their lines.
  private let notes: AddressNotes
  private let questions: DeviceQuestions
  /// What the scrollback makes possible; nil without one.
  private var kept: Kept?
  private var observations: [AnyObject] = []

  /// What fills and uses the scrollback.
  private struct Kept {
    let subscription: Hub.Subscription
    /// Lets the screen stand while the device goes on.
    let pause: ViewPause
    let pauseStates: AnyObject
  }

  /// - Parameter keys: the user's keys; nil if the input is not a terminal.
  init(
    of port: Port, _ configuration: ConnectConfiguration, on console: Console, loop: IOLoop,
    keys: CommandKeys?
  ) {
    (self.port, self.console, self.loop) = (port, console, loop)
    view = DeviceView(configuration.values.viewSettings, on: console, loop: loop)
    filter = FilterController(
      configuration.filterCommand, to: view, on: console, loop: loop)
    notes = AddressNotes(of: port, in: view, filter, on: console, loop: loop)
    questions = DeviceQuestions(of: port, in: view, on: console, keys: keys)
    if console.isOutputTerminal { port.controller.sharing.screen.terminal = self }
    port.model.followFilter(filter, scrollback: $scrollback)
    // Whether the screen is shown that a program had drawn when the user joined.
    var showsScreen = false
    observations = [
      filter.room.observe { [unowned self] in updateRoom() },
      port.controller.news.observe { [unowned self] in
        if case .mark(let mark) = $0 { show(mark) }
      },
      port.symbolAnswers.observe { [unowned self] in notes.add($0) },
      port.controller.userSharing.remoteNews.observe { [unowned self] in
        switch $0 {
        case .history(let bytes, let time, let isOnScreen):
          showHistory(bytes, time, isOnScreen: isOnScreen && showsScreen)
        case .screen(let text): showsScreen = show(screen: text)
        case .missed(let count): showGap(count)
        default: break
        }
      },
    ]
    observations.append(
      AgentEcho(of: port.session, on: loop) { [unowned self] in
        if !console.isCrowded { showLine($0) }
      })
  }

  /// Starts to show received bytes.
  func start() {
    subscription = port.controller.hub.subscribe(
      as: .view, whenFull: console.isOutputTerminal ? .waitOrLeaveOut : .wait
    ) { [unowned self] in show($0, at: $1) }
    if console.isOutputTerminal { filter.start() }
  }

  /// Shows the text as the state demands.
  func stateDidChange(to state: TerminalState) {
    var settings = state.view
    settings.echoesLocally = state.echoesLocally
    view.settings = settings
    port.controller.encoding = state.view.encoding
    readScrollback(in: state.view.encoding)
    // An exchange may have the device's bytes for itself, which the scrollback has nevertheless.
    if state.exchange != nil {
      kept?.pause.finish()
    } else if state.isPaused {
      kept?.pause.begin()
    } else {
      kept?.pause.end()
    }
  }

  /// Lets a search see the text of the device, and show it.
  private func readScrollback(in encoding: Encoding) {
    scrollback?.lineText = { LineText(decode: DecodingStage.ofLines(encoding)) }
  }

  private func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    // What arrives while the screen stands is shown from the scrollback.
    if isLive {
      if filter.isOn {
        filter.write(bytes)
      } else {
        questions.answer { display(bytes, at: moment) }
      }
      notes.didReceive()
    }
    if isCrowded { updateRoom() }
    shown.notify(bytes)
  }

  private var isLive: Bool { kept.map { $0.pause.state == .live } ?? true }

  /// The number of bytes that arrived while the screen stands, and were not shown yet.
  var waitingCount: Int { kept?.pause.waitingCount ?? 0 }

  /// Shows the bytes that the device sent before the user joined the session. Logs do not get them.
  ///
  /// - Parameter isOnScreen: whether the screen shows already what they draw.
  private func showHistory(_ bytes: [UInt8], _ time: UInt64, isOnScreen: Bool) {
    bytes.withUnsafeBytes { bytes in
      scrollback?.add(bytes, at: time)
      port.symbols?.receive(bytes)
      guard isLive, !isOnScreen else { return }
      display(bytes, at: .now.moved(to: time))
      notes.showSoon()
    }
  }

  /// Shows what a program has drawn before the user joined the session, where the view shows text.
  ///
  /// The session may not know the encoding of the device. It has U+FFFD for what it could not read.
  ///
  /// - Returns: whether it is shown.
  private func show(screen text: [UInt8]) -> Bool {
    let isRead =
      view.settings.encoding.isUTF8
      || !String(decoding: text, as: UTF8.self).unicodeScalars.contains("\u{FFFD}")
    guard console.isOutputTerminal, isLive, !filter.isOn, view.drawsText, isRead else {
      return false
    }
    text.withUnsafeBytes { view.show(screen: $0) }
    return true
  }

  /// Whether the view's stages make what is shown. A file or a pipe gets the bytes unchanged; but
  /// of a tap, it gets lines in any case, and frames are the better ones.
  private var usesView: Bool {
    console.isOutputTerminal
      || view.settings.lineDirection != nil && view.settings.frames != nil
  }

  /// Shows bytes without the filter, and the notes about addresses below their lines.
  private func display(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    notes.show(among: bytes) { displayPart($0, at: moment) }
  }

  private func displayPart(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    guard let last = bytes.last else { return }
    notes.isMidLine = last != UInt8(ascii: "\n")
    guard usesView else { return view.place.show(bytes) }
    questions.hint(among: bytes) { if !$0.isEmpty { view.show($0, at: moment) } }
  }

  private func showGap(_ count: Int, because reason: String = "this terminal took nothing") {
    view.showHeld()
    let text = "[\(count.counted("byte")) of the device missed: \(reason)]"
    console.answer([StyledLine(text, .dimmed)])
  }

  private func show(_ mark: Mark) {
    showLine(mark.line(port: port.name).harmless, at: mark.moment)
  }

  /// Shows a line of the session after all received bytes.
  private func showLine(_ line: String, at moment: Moment = .now) {
    view.showHeld()
    console.answer([StyledLine(line, .dimmed)])
    scrollback?.addMark(line, at: moment.wallClock)
  }

  private var isCrowded: Bool { console.isCrowded || filter.isCrowded }

  private func updateRoom() {
    subscription?.update(isFull: isCrowded)
    kept?.pause.catchUp()
  }

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
    (self.scrollback, notes.scrollback) = (scrollback, scrollback)
    readScrollback(in: view.settings.encoding)
    kept = scrollback.map { keeping(in: $0) }
    notes.isLive = true
    // The bytes are kept once: members who join the session get them from the scrollback.
    port.controller.sharing.scrollback = scrollback
  }

  private func keeping(in scrollback: Scrollback) -> Kept {
    let pause = ViewPause(
      of: scrollback, isCrowded: { [unowned self] in isCrowded }, loop: loop,
      show: { [unowned self] in
        // Notes come when the screen is live again.
        if filter.isOn { filter.write($0) } else { displayPart($0, at: $1) }
      },
      sayMissing: { [unowned self] in showGap($0, because: "the screen stood too long") })
    return Kept(
      subscription: port.controller.hub.subscribe(as: .log) {
        scrollback.add($0, at: $1.wallClock)
      },
      pause: pause,
      pauseStates: pause.$state.observe { [unowned self] in notes.isLive = $0.new == .live })
  }

  /// Calls a function with the newest lines that the scrollback has, the oldest of them first, and
  /// with their times in seconds since 1970. Reading more would hold the session up.
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
    kept?.pause.finish()
    filter.stop()
    notes.showAll()
    if usesView { view.finish() }
  }
}

extension PortText: UserTerminalSize {
  var textSize: (rows: Int, columns: Int) {
    let size = console.screen.textSizeWithoutPanels
    return (size.rows, size.columns)
  }
}
