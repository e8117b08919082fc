import EventLoop
import Scrollback
import Symbols
import Terminal
import TerminalWidgets
import TextTools
import Time

/// Shows the notes about addresses in what a device sends: each below the line that has the
/// address, or after a pause of the device.
final class AddressNotes {
  /// Keeps the notes too; nil without a scrollback.
  var scrollback: Scrollback?
  /// Whether the screen shows bytes as they arrive. The notes wait until it does.
  var isLive = true {
    didSet { showSoon() }
  }
  /// Whether the last shown line of the device is not complete.
  var isMidLine = false

  private let port: Port
  private let view: DeviceView
  private let filter: FilterController
  private let console: Console
  private let loop: IOLoop
  /// The notes that wait for the end of a line.
  private var waiting: [SymbolWatch.Answer] = []
  /// The number of notes that were left out, because the terminal takes nothing.
  private var leftOutCount = 0
  private var timer: LoopTimer?
  private var lastArrival: MonotonicTime

  /// The silence after which a note ends an unfinished line, such as a prompt.
  private static let pause = Duration.milliseconds(500)
  private static let mostWaiting = 512

  init(
    of port: Port, in view: DeviceView, _ filter: FilterController, on console: Console,
    loop: IOLoop
  ) {
    (self.port, self.view, self.filter) = (port, view, filter)
    (self.console, self.loop) = (console, loop)
    lastArrival = loop.now
  }

  /// Shows bytes without the filter, and the waiting notes below their lines.
  ///
  /// - Parameter show: shows a part of the bytes.
  func show(
    among bytes: UnsafeRawBufferPointer, showing show: (UnsafeRawBufferPointer) -> Void
  ) {
    guard !waiting.isEmpty, !view.settings.showsRows else { return show(bytes) }
    // The notes of this piece have a place in it. Those of earlier pieces are late.
    let start = (port.symbols?.receivedCount ?? 0) - bytes.count
    var shown = 0
    while let note = waiting.first {
      if note.end <= start + shown, isAtMargin {
        self.show(waiting.removeFirst().note)
        continue
      }
      var end = note.end - start
      if end <= shown {
        let feed = bytes[shown...].firstIndex(of: UInt8(ascii: "\n"))
        end = feed.map { $0 + 1 } ?? .max
      }
      guard end <= bytes.count else { break }
      show(UnsafeRawBufferPointer(rebasing: bytes[shown..<end]))
      shown = end
    }
    show(UnsafeRawBufferPointer(rebasing: bytes[shown...]))
  }

  /// Adds a note. It is shown with the present piece, with the next line end, or after a pause.
  func add(_ answer: SymbolWatch.Answer) {
    guard waiting.count < Self.mostWaiting else { return leftOutCount += 1 }
    waiting.append(answer)
    if waiting.count == 1 { loop.atEndOfTurn { [weak self] in self?.showSoon() } }
  }

  /// Call it when a piece of the device's bytes was shown, or passed to the filter.
  func didReceive() {
    lastArrival = loop.now
    showSoon()
  }

  /// Shows the notes if no line of the device is open, and otherwise after a pause.
  func showSoon() {
    guard isLive, !waiting.isEmpty else { return }
    if isAtMargin && !filter.isOn || view.settings.showsRows { return showAll() }
    guard timer == nil else { return }
    waitForPause(Self.pause)
  }

  /// Whether a note does not end a line of the device. Messages elsewhere never do.
  private var isAtMargin: Bool {
    if filter.isOn { return console.isAtMargin }
    return !isMidLine || !console.isOutputTerminal || view.place.isWholeScreen && console.isAtMargin
  }

  private func waitForPause(_ time: Duration) {
    timer = loop.schedule(after: time) { [unowned self] in
      timer = nil
      guard isLive, !waiting.isEmpty else { return }
      let rest = lastArrival + Self.pause - loop.now
      if rest > .zero, !isAtMargin { waitForPause(rest) } else { showAll() }
    }
  }

  /// Shows the waiting notes after all received bytes.
  func showAll() {
    guard !waiting.isEmpty else { return }
    view.showHeld()
    let ready = waiting
    waiting = []
    for answer in ready { show(answer.note) }
    isMidLine = false
    scrollback?.addWaitingNotes()
  }

  /// Shows a note, and keeps it. A terminal that takes nothing gets no notes: they would fill the
  /// memory, because messages are never dropped.
  private func show(_ note: SymbolNote) {
    let time = Moment.now.wallClock
    for line in note.lines { scrollback?.addNote(line, at: time) }
    guard !console.isCrowded else { return leftOutCount += 1 }
    if leftOutCount > 0 {
      view.place.show(
        note: StyledLine("    [\(leftOutCount.counted("address")) not explained]", .dimmed))
      leftOutCount = 0
    }
    for line in note.lines { view.place.show(note: StyledLine(line, .dimmed)) }
  }
}
