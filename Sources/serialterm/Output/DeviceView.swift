import EventLoop
import Logs
import Posix
import TerminalUI
import Views

/// Shows what the device sends as the user wants to see it: mapped, made harmless, as numbers, with
/// the time in front.
final class DeviceView {
  /// How it is shown. What waits to be completed is shown in the old way first.
  var settings: ViewSettings {
    didSet {
      if settings != oldValue { rebuild(from: oldValue) }
    }
  }

  private let console: Console
  private let loop: EventLoop
  private let start = Moment.now
  /// From the device to the screen; numbers take no part in it.
  private var text = Pipeline()
  /// What the user types, where it is shown; it must not come to stand in the device's sequences.
  private var echo = Pipeline()
  /// Behind the numbers.
  private var numbered = Pipeline()
  private var dump: HexDump?
  private var lines: [UInt8] = []
  private var idleTimer: Timer?
  private var lastMoment = Moment.now

  /// How long a device must be silent for an unfinished sequence to be shown as text.
  private static let textPause = Duration.milliseconds(500)

  init(_ settings: ViewSettings, on console: Console, loop: EventLoop) {
    self.settings = settings
    self.console = console
    self.loop = loop
    build()
    console.screen.onCursorMoved = { [unowned self] in text.cursorDidMove(toMargin: $0) }
  }

  /// Shows bytes that the device sent.
  func show(_ bytes: UnsafeRawBufferPointer) {
    lastMoment = .now
    if dump != nil {
      showNumbers(of: bytes, .fromDevice)
    } else {
      text.transform(bytes, at: lastMoment) { console.show($0) }
    }
    if idleTimer == nil && isWaiting { waitForPause() }
  }

  /// Shows bytes that were typed.
  func showTyped(_ bytes: UnsafeRawBufferPointer) {
    if dump != nil {
      lastMoment = .now
      showNumbers(of: bytes, .toDevice)
      if idleTimer == nil && isWaiting { waitForPause() }
    } else {
      echo.transform(bytes, at: .now) { console.show($0) }
      text.cursorDidMove(toMargin: false)
    }
  }

  /// Shows what waits for more, and undoes what was changed of the terminal by what was shown.
  func finish() {
    flush()
    let restoration = [text, echo].flatMap { Self.filter(of: $0)?.restoration ?? [] }
    if !restoration.isEmpty { console.screen.draw(restoration) }
  }

  private func showNumbers(of bytes: UnsafeRawBufferPointer, _ direction: Direction) {
    lines.removeAll(keepingCapacity: true)
    dump?.dump(bytes, direction, into: &lines)
    showLines()
  }

  private func showLines() {
    guard !lines.isEmpty else { return }
    lines.withUnsafeBytes { numbered.transform($0, at: .now) { console.show($0) } }
  }

  // MARK: Pauses

  private var pause: Duration { settings.isHex ? settings.hexGap : Self.textPause }

  private var isWaiting: Bool { dump?.isWaiting ?? text.isWaiting }

  /// Looks again when the device could have been silent for long enough: one timer for any number of
  /// reads.
  private func waitForPause() {
    let silence = Duration.nanoseconds(Int64(Moment.now.monotonic - lastMoment.monotonic))
    idleTimer = loop.schedule(after: max(.zero, pause - silence)) { [unowned self] in
      idleTimer = nil
      let silence = Duration.nanoseconds(Int64(Moment.now.monotonic - lastMoment.monotonic))
      if silence < pause { waitForPause() } else { flush() }
    }
  }

  private func flush() {
    if dump != nil {
      lines.removeAll(keepingCapacity: true)
      dump?.endLine(into: &lines)
      showLines()
    } else {
      text.flush(at: lastMoment) { console.show($0) }
    }
  }

  // MARK: Stages

  private func rebuild(from old: ViewSettings) {
    idleTimer = nil
    flush()
    // The offsets go on, unless lines look otherwise.
    if !settings.isHex || settings.marksDirection != old.marksDirection { dump = nil }
    build()
  }

  private func build() {
    let map = ByteMap(settings.map, .fromDevice)
    let stamps: [any ByteStage] =
      settings.timestamps.map {
        [LineStamper($0, start: start, calendar: CalendarTime.init(local:))]
      }
      ?? []
    text = Pipeline(
      (map.isIdentity ? [] : [map]) + [filter(following: text)] + highlights + stamps)
    echo = Pipeline([filter(following: echo)])
    numbered = Pipeline(stamps)
    dump = settings.isHex ? dump ?? HexDump(marksDirection: settings.marksDirection) : nil
  }

  /// Keeps what is shown from doing harm. One that was there goes on: it knows what is to be undone at
  /// the end.
  private func filter(following pipeline: Pipeline) -> any ByteStage {
    // Where lines are drawn in between, what is raw goes on in whole sequences.
    settings.isRaw ? WholeSequences() : Self.filter(of: pipeline) ?? EscapeFilter()
  }

  private static func filter(of pipeline: Pipeline) -> EscapeFilter? {
    pipeline.stages.lazy.compactMap { $0 as? EscapeFilter }.first
  }

  /// Sets off what is asked for, where there are colours. What is raw has the terminal to itself.
  private var highlights: [any ByteStage] {
    guard settings.isHighlighting, !settings.isRaw, console.outputStyle.isColoured else {
      return []
    }
    return [
      Highlighter(
        settings.highlights, margin: settings.timestamps == nil ? 0 : LineStamper.maximalWidth,
        columns: { [unowned console] in console.screen.columns }, width: \.displayWidth)
    ]
  }
}
