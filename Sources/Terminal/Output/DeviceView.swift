import Encodings
package import EventLoop
package import Framing
import TerminalWidgets
package import TextStages
package import Time

/// Shows the device's bytes as the user chose: mapped, filtered, in hexadecimal, with timestamps.
/// It also shows the local echo.
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
  private var text = ScreenText()
  /// Ends a pause, with the pause that it was set for.
  private var idleTimer: (timer: LoopTimer, pause: Duration)?
  /// What the device has switched.
  private var switched: DeviceModes = []
  /// What is permitted at the place.
  private var permission = EscapeFilter.Permission.none
  /// The numbers of hidden lines and of dropped sequences, of stages that are gone.
  private var (hiddenBefore, unjudgedBefore, droppedBefore) = (0, 0, 0)
  /// The time of the last bytes, for their timestamps. Another process may have read them, by a
  /// clock of its own.
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

  /// Adapts to a change of what is permitted at the place, if there is one.
  package func placeDidChange() {
    guard place.permission != permission else { return }
    leavePlace()
    enterPlace()
  }

  private func leavePlace() {
    idleTimer = nil
    undo()
    keepingCounts { text = ScreenText() }
  }

  /// Shows incomplete sequences, and undoes the device's changes of the terminal's state.
  private func undo() {
    flush()
    if !text.restoration.isEmpty { place.restore(text.restoration) }
    // Otherwise closing a panel would hide the cursor again.
    place.setSwitched([])
    if !switched.isEmpty { place.willSwitch(with: []) }
    switched = []
  }

  private func enterPlace() {
    permission = place.permission
    build(from: nil)
    place.setSource(self)
  }

  /// Shows bytes of the device.
  ///
  /// - Parameter moment: the time of the read, for timestamps. It may be any time: another process
  ///   may have read the bytes.
  package func show(_ bytes: UnsafeRawBufferPointer, at moment: Moment = .now) {
    (lastMoment, lastArrival) = (moment, loop.now)
    fit()
    if settings.lineDirection == .toDevice, text.rows != nil {
      show(text.send(bytes, at: lastMoment))
    } else {
      showReceived(bytes)
    }
    waitIfNeeded()
  }

  /// - Parameter stage: the index of the first stage that the bytes pass.
  private func showReceived(_ bytes: UnsafeRawBufferPointer, from stage: Int = 0) {
    let changed = text.receive(bytes, at: lastMoment, from: stage)
    noteSwitched()
    if let changed { show(changed) } else { place.show(bytes) }
    place.setSwitched(switched)
    // The device may have left the screen on which it draws beside a panel.
    placeDidChange()
  }

  /// Whether what the device draws is shown as text anywhere on the screen.
  package var drawsText: Bool { permission == .drawing && text.rows == nil }

  /// Shows a screen that the device has drawn.
  ///
  /// - Parameter screen: text and sequences in UTF-8, which the maps do not change.
  package func show(screen: UnsafeRawBufferPointer) {
    (lastMoment, lastArrival) = (.now, loop.now)
    let filter = text.device.stages.firstIndex { $0 is EscapeFilter || $0 is WholeSequences }
    showReceived(screen, from: filter ?? 0)
  }

  private func noteSwitched() {
    let now = text.switched
    guard now != switched || now.contains(.others) else { return }
    switched = now
    place.willSwitch(with: switched.isEmpty ? [] : text.restoration)
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

  /// Shows sent bytes in the hex view, and as frames.
  package func showSent(_ bytes: UnsafeRawBufferPointer) {
    guard settings.echoesLocally, settings.showsRows else { return }
    (lastMoment, lastArrival) = (.now, loop.now)
    fit()
    show(text.send(bytes, at: lastMoment))
    waitIfNeeded()
  }

  /// Shows all text so far, because other text follows: the present row of the hex view, and parts
  /// of lines. An incomplete sequence or character is not text yet.
  package func showHeld() {
    if settings.isHex && settings.frames == nil { flush() }
    place.showHeld()
  }

  /// Shows incomplete sequences, and undoes the device's changes of the terminal's state.
  package func finish() { undo() }

  /// Records what the device has switched, which the terminal knows again after ``finish()``.
  package func resume() {
    noteSwitched()
    place.setSwitched(switched)
  }

  /// The numbers of frames that were shown; nil while none are.
  package var frameCounts: FrameCounts? { (text.rows as? FrameRows)?.counts }

  /// Adapts the rows to the width of the window.
  private func fit() {
    // In a file or a pipe, a row has all of its line.
    guard console.isOutputTerminal, let rows = text.rows else { return }
    let stampWidth = rows.writesTime ? 0 : settings.timestamps?.width ?? 0
    text.rows?.fit(columns: place.columns - stampWidth)
  }

  // MARK: Pauses

  /// The silence after which incomplete sequences and rows are shown; nil for none.
  private var pause: Duration? {
    guard let rows = text.rows else { return Self.textPause }
    return rows.gap
  }

  private func waitIfNeeded() {
    guard text.isWaiting, let pause else { return }
    if idleTimer.map({ pause < $0.pause }) ?? true { wait(for: pause) }
  }

  /// Checks again after the time that counts as a pause, with one timer for any number of reads.
  private func wait(for pause: Duration) {
    let timer = loop.schedule(after: max(.zero, pause - silence)) { [unowned self] in
      idleTimer = nil
      guard let pause = self.pause else { return }
      if silence < pause { wait(for: pause) } else { flush() }
    }
    idleTimer = (timer, pause)
  }

  /// The time since the last bytes arrived.
  private var silence: Duration { loop.now - lastArrival }

  private func flush() {
    show(text.flush(at: lastMoment))
  }

  // MARK: Stages

  private func rebuild(from old: ViewSettings) {
    idleTimer = nil
    // Without `--raw`, nothing may stay that the filter would not have passed.
    if old.isRaw && !settings.isRaw { undo() } else { flush() }
    build(from: old)
    // What is on the screen is only known without `--raw`.
    if old.isRaw != settings.isRaw { place.setSource(self) }
  }

  private func build(from old: ViewSettings?) {
    keepingCounts {
      text.setStages(
        device: Pipeline(characters + [filter] + lineFilter + highlights),
        stamps: old?.timestamps == settings.timestamps ? text.stamps : stamps)
    }
    text.echo = settings.echoesLocally ? text.echo ?? echo : nil
    // Offsets and counts continue, unless the format of the rows changes.
    if old.map(RowFormat.init) != RowFormat(settings) { text.rows = rows }
  }

  /// What the rows depend on.
  private struct RowFormat: Hashable {
    let isHex: Bool
    let gap: Duration
    let frames: ChosenFrameForm?
    let showsDirection: Bool
    let timestamps: TimestampFormat?

    init(_ settings: ViewSettings) {
      isHex = settings.isHex
      gap = settings.hexGap
      frames = settings.frames
      showsDirection = settings.showsDirection
      timestamps = settings.frames == nil ? nil : settings.timestamps
    }
  }

  private var rows: (any RowView)? {
    if let frames = settings.frames {
      return FrameRows(
        frames, stamps: stamper(settings.timestamps ?? TimestampFormat(.time)),
        style: FrameRows.Style(
          isColoured: console.outputStyle.isColoured, isASCII: TerminalCharacters.areASCII,
          showsDirection: settings.showsDirection))
    }
    return settings.isHex
      ? HexDump(marksDirection: settings.showsDirection, gap: settings.hexGap) : nil
  }

  /// Makes characters of bytes: the maps, and the conversion to UTF-8 between those of bits and
  /// of characters.
  private var characters: [any ByteStage] {
    guard let decoding else { return Self.map(settings.map) }
    return Self.map(settings.map.ofBits) + [decoding] + Self.map(settings.map.ofCharacters)
  }

  private static func map(_ list: MapList) -> [any ByteStage] {
    let map = ByteMap(list, .fromDevice)
    return map.isIdentity ? [] : [map]
  }

  /// An existing stage is kept, because it may be in the middle of a character.
  private var decoding: DecodingStage? {
    if settings.encoding.isUTF8 { return nil }
    let old = stage(DecodingStage.self)
    // It was converted before, when the option was read: only a lack of memory is left.
    return old?.encoding == settings.encoding ? old : try? DecodingStage(settings.encoding)
  }

  /// Hides lines. An existing stage is kept, because it knows what is on the screen; so once there
  /// were rules, it stays.
  private var lineFilter: [any ByteStage] {
    let old = stage(LineFilter.self)
    if settings.isRaw && place.isWholeScreen || old == nil && settings.lines.isEmpty { return [] }
    var filter =
      old
      ?? LineFilter(
        isAtMargin: place.isAtMargin, draws: place.isWholeScreen && console.kind == .drawing,
        showsUTF8: !TerminalCharacters.areASCII,
        size: { [unowned self] in size })
    filter.rules = settings.lines
    filter.margin = settings.timestamps.map { $0.width...LineStamper.maximalWidth } ?? 0...0
    return [filter]
  }

  /// The number of lines that are hidden.
  package var hiddenLineCount: Int { hiddenBefore + (stage(LineFilter.self)?.hiddenCount ?? 0) }

  /// The number of lines that are shown because the expressions took too long.
  package var unjudgedLineCount: Int {
    unjudgedBefore + (stage(LineFilter.self)?.unjudgedCount ?? 0)
  }

  private var size: (columns: Int, rows: Int) { (place.columns, console.screen.textSize.rows) }

  /// Whether the device shows the alternate screen.
  package var isAlternateScreen: Bool { switched.contains(.alternateScreen) }

  /// Removes and returns the questions of the device in what was shown so far.
  package func takeQuestions() -> [TerminalQuestion] { text.takeQuestions() }

  /// The number of the device's sequences that were dropped, because they do more than draw.
  package var droppedSequenceCount: Int {
    droppedBefore + (stage(EscapeFilter.self)?.droppedCount ?? 0)
  }

  private func keepingCounts(_ change: () -> Void) {
    let (hidden, unjudged) = (hiddenLineCount, unjudgedLineCount)
    let dropped = droppedSequenceCount
    change()
    (hiddenBefore, unjudgedBefore, droppedBefore) = (0, 0, 0)
    hiddenBefore = hidden - hiddenLineCount
    unjudgedBefore = unjudged - unjudgedLineCount
    droppedBefore = dropped - droppedSequenceCount
  }

  private func stage<Stage: ByteStage>(_: Stage.Type) -> Stage? {
    text.device.stages.lazy.compactMap { $0 as? Stage }.first
  }

  /// Filters escape sequences. An existing stage is kept, because it knows which changes to undo at
  /// the end. With `--raw`, sequences are held back until they are complete, because the program
  /// draws between them.
  private var filter: any ByteStage {
    if settings.isRaw && place.isWholeScreen { return stage(WholeSequences.self) ?? wholeSequences }
    return stage(EscapeFilter.self)
      ?? EscapeFilter(
        showsUTF8: !TerminalCharacters.areASCII,
        permitting: permission, size: { [unowned self] in size })
  }

  private var wholeSequences: WholeSequences {
    stage(EscapeFilter.self).map(WholeSequences.init(after:))
      ?? WholeSequences { [unowned self] in size.columns }
  }

  private var stamps: Pipeline {
    Pipeline(settings.timestamps.map { [stamper($0)] } ?? [])
  }

  private func stamper(_ format: TimestampFormat) -> LineStamper {
    LineStamper(format, start: console.start, calendar: CalendarTime.init(local:))
  }

  private var echo: LocalEcho {
    LocalEcho(
      isAtMargin: place.isAtMargin, draws: place.isWholeScreen && console.kind == .drawing,
      columns: { [unowned self] in place.columns })
  }

  /// Highlights matches if the terminal has colours. It does not with `--raw`, where the device
  /// controls the terminal.
  private var highlights: [any ByteStage] {
    guard settings.isHighlighting, !(settings.isRaw && place.isWholeScreen),
      console.outputStyle.isColoured
    else {
      return []
    }
    return [
      Highlighter(
        settings.highlights, margin: settings.timestamps == nil ? 0 : LineStamper.maximalWidth,
        columns: { [unowned self] in place.columns })
    ]
  }
}

extension DeviceView: ScreenDelegate {
  package var deviceState: [UInt8] { text.screenState }

  package func cursorDidMove(toMargin isAtMargin: Bool) { text.cursorDidMove(toMargin: isAtMargin) }
}
