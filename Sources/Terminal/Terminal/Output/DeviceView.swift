package import EventLoop
import TerminalWidgets
import TextStages
package import Time

/// Shows the device's bytes as the user chose: mapped, filtered, in hexadecimal, with timestamps. It also shows the
/// local echo.
package final class DeviceView {
  /// How bytes are shown. Before a change, incomplete sequences are shown with the old settings.
  package var settings: ViewSettings {
    didSet {
      if settings != oldValue { rebuild(from: oldValue) }
    }
  }

  /// Where bytes are shown. Before a change, incomplete sequences are shown at the old place.
  package var place: any ViewPlace {
    willSet { leavePlace() }
    didSet { enterPlace() }
  }

  private let console: Console
  private let loop: IOLoop
  private let start = Moment.now
  private var text = ScreenText()
  private var idleTimer: LoopTimer?
  /// The time of the last bytes, for their timestamps. Another process may have read them, by a clock of its own.
  private var lastMoment = Moment.now
  /// The time at which the last bytes arrived here. Pauses are measured by this clock alone.
  private var lastArrival: MonotonicTime

  /// The silence after which an unfinished sequence is shown as text.
  private static let textPause = Duration.milliseconds(500)

  /// Creates a view on the whole screen.
  package init(_ settings: ViewSettings, on console: Console, loop: IOLoop) {
    self.settings = settings
    self.console = console
    self.loop = loop
    lastArrival = loop.now
    place = console
    enterPlace()
  }

  /// Adapts to a change of what is permitted at the place.
  package func placeDidChange() {
    leavePlace()
    enterPlace()
  }

  private func leavePlace() {
    idleTimer = nil
    undo()
    text = ScreenText()
  }

  /// Shows incomplete sequences, and undoes the device's changes of the terminal's state.
  private func undo() {
    flush()
    if !text.restoration.isEmpty { place.restore(text.restoration) }
    // Otherwise closing a panel would hide the cursor again.
    place.setCursorHidden(false)
  }

  private func enterPlace() {
    build(from: nil)
    place.setSource(self)
  }

  /// Shows bytes of the device.
  ///
  /// - Parameter moment: the time of the read, for timestamps. It may be any time: another process may have read the
  ///   bytes.
  package func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment = .now) {
    (lastMoment, lastArrival) = (moment, loop.now)
    fit()
    if let changed = text.receive(bytes, at: lastMoment) {
      show(changed)
    } else {
      place.show(bytes)
    }
    place.setCursorHidden(text.isCursorHidden)
    waitIfNeeded()
  }

  private func show(_ text: [UInt8]) {
    if !text.isEmpty { text.withUnsafeBytes { place.show($0) } }
  }

  /// Shows typed bytes.
  package func showTyped(_ bytes: UnsafeRawBufferPointer) {
    guard settings.echoesLocally else { return }
    guard TerminalCharacters.areASCII else {
      return show(text.type(bytes, at: .now))
    }
    // Keeps one byte for each character, so that one backspace removes it.
    let ascii = bytes.filter { !(0x80..<0xC0).contains($0) }
      .map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
    show(ascii.withUnsafeBytes { text.type($0, at: .now) })
  }

  /// Shows sent bytes in the hex view.
  package func showSent(_ bytes: UnsafeRawBufferPointer) {
    guard settings.echoesLocally, settings.isHex else { return }
    (lastMoment, lastArrival) = (.now, loop.now)
    fit()
    show(text.send(bytes, at: lastMoment))
    waitIfNeeded()
  }

  /// Shows all text so far, because other text follows: the present row of the hex view, and parts of lines. An
  /// incomplete sequence or character is not text yet.
  package func showHeld() {
    if settings.isHex { flush() }
    place.showHeld()
  }

  /// Shows incomplete sequences, and undoes the device's changes of the terminal's state.
  package func finish() { undo() }

  /// Adapts the rows of the hex view to the width of the window.
  private func fit() {
    text.dump?.fit(columns: place.columns - (settings.timestamps?.width ?? 0))
  }

  // MARK: Pauses

  private var pause: Duration { settings.isHex ? settings.hexGap : Self.textPause }

  private func waitIfNeeded() {
    if idleTimer == nil && text.isWaiting { waitForPause() }
  }

  /// Checks again after the time that counts as a pause, with one timer for any number of reads.
  private func waitForPause() {
    idleTimer = loop.schedule(after: max(.zero, pause - silence)) { [unowned self] in
      idleTimer = nil
      if silence < pause { waitForPause() } else { flush() }
    }
  }

  /// The time since the last bytes arrived.
  private var silence: Duration { loop.now - lastArrival }

  private func flush() {
    show(text.flush(at: lastMoment))
  }

  // MARK: Stages

  private func rebuild(from old: ViewSettings) {
    idleTimer = nil
    // Another kind of stage does not know what the device has switched.
    if settings.isRaw != old.isRaw { undo() } else { flush() }
    build(from: old)
  }

  private func build(from old: ViewSettings?) {
    text.setStages(
      device: Pipeline(maps + [filter] + highlights),
      stamps: old?.timestamps == settings.timestamps ? text.stamps : stamps)
    let isEchoing = settings.echoesLocally
    text.echo = isEchoing ? text.echo ?? echo : nil
    // Offsets continue, unless the format of the rows changes.
    let keepsDump = text.dump != nil && old?.echoesLocally == isEchoing
    let dump = keepsDump ? text.dump : HexDump(marksDirection: isEchoing)
    text.dump = settings.isHex ? dump : nil
  }

  private var maps: [any ByteStage] {
    let map = ByteMap(settings.map, .fromDevice)
    return map.isIdentity ? [] : [map]
  }

  /// Filters escape sequences. An existing stage is kept, because it knows which changes to undo at the end. With
  /// `--raw`, sequences are held back until they are complete, because the program draws between them.
  private var filter: any ByteStage {
    if settings.isRaw && place.isWholeScreen {
      return text.device.stages.first { $0 is WholeSequences } ?? WholeSequences()
    }
    return text.device.stages.first { $0 is EscapeFilter }
      ?? EscapeFilter(
        showsUTF8: !TerminalCharacters.areASCII,
        permitting: place.permission)
  }

  private var stamps: Pipeline {
    Pipeline(
      settings.timestamps.map {
        [LineStamper($0, start: start, calendar: CalendarTime.init(local:))]
      } ?? [])
  }

  private var echo: LocalEcho {
    LocalEcho(
      isAtMargin: place.isAtMargin, draws: place.isWholeScreen && console.kind == .drawing,
      columns: { [unowned self] in place.columns }, width: \.displayWidth)
  }

  /// Highlights matches if the terminal has colours. It does not with `--raw`, where the device controls the
  /// terminal.
  private var highlights: [any ByteStage] {
    guard settings.isHighlighting, !(settings.isRaw && place.isWholeScreen),
      console.outputStyle.isColoured
    else {
      return []
    }
    return [
      Highlighter(
        settings.highlights, margin: settings.timestamps == nil ? 0 : LineStamper.maximalWidth,
        columns: { [unowned self] in place.columns }, width: \.displayWidth)
    ]
  }
}

extension DeviceView: ScreenDelegate {
  package var deviceState: [UInt8] { text.screenState }

  package func cursorDidMove(toMargin isAtMargin: Bool) { text.cursorDidMove(toMargin: isAtMargin) }
}
