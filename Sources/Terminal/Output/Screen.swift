package import Observing
import Posix
package import TerminalWidgets
import TextStages
import TextTools

/// The source of the text on a screen.
package protocol ScreenDelegate: AnyObject {
  /// Bytes that set the terminal to the device's state (colours, cursor, wrapping, scroll region)
  /// from any state; empty if that state is unknown.
  var deviceState: [UInt8] { get }

  /// The cursor is not where the shown text left it.
  ///
  /// - Parameter isAtMargin: whether it is known to be in the first column.
  func cursorDidMove(toMargin isAtMargin: Bool)
}

/// Draws on the user's terminal: the device's text, a panel below it, one at the top, and the
/// status line in the last row.
///
/// Below the text there is at most one panel: a footer, which is removed while text is shown and
/// then drawn again; or a cover, which holds text back until it is removed. A cover can also be a
/// page on the alternate screen. Over a full-screen program, and where the cells below a cover are
/// known, they are an ``Overlay``.
package final class Screen {
  /// Makes the lines of a panel for a screen.
  package typealias Content = (ScreenSize) -> PanelContent

  /// The content of the panel at the top.
  package struct Top {
    /// Returns the number of rows for a screen.
    let height: (ScreenSize) -> Int
    /// Makes the lines; the size is that of the panel.
    let lines: (ScreenSize) -> [StyledLine]

    package init(
      height: @escaping (ScreenSize) -> Int, lines: @escaping (ScreenSize) -> [StyledLine]
    ) {
      self.height = height
      self.lines = lines
    }
  }

  /// A message, and the text that shows it where there is no full-screen program.
  private struct Notice {
    let lines: [StyledLine]
    let text: String
  }

  /// Where the cursor is.
  package enum CursorPlace: Hashable, Sendable {
    case text, panel
    /// On the alternate screen.
    case page
  }

  private let output: OutputChannel
  /// Whether the terminal has an alternate screen.
  private let hasAlternateScreen: Bool
  /// Whether the terminal can draw anywhere on its screen.
  private let draws: Bool
  /// Returns the size of the whole screen.
  private let wholeSize: () -> ScreenSize
  /// A panel in rows below the text, which moves up for it.
  private var panel = Panel()
  /// What paints the text that is below the cursor, and which ``panel`` covers.
  private var textBelow: [UInt8] = []
  /// A panel over text whose cells are known; see ``shown``.
  private var overlay = Overlay()
  /// The panel at the top over a full-screen program.
  private var topOverlay = Overlay()
  /// What is on the screen besides overlays and pages.
  private var shown: ShownScreen
  /// The position of the cursor in the text while it is in the panel.
  private var tail = LineTail()
  private var footer: Content?
  private var cover: Content?
  /// Messages over what a full-screen program has drawn, until the user types.
  private var notices: [Notice] = []
  private var droppedNotices = 0
  private var page = AlternatePage()
  /// The content of the page; nil while there is none.
  private var pageContent: Content?
  private var statusLine = StatusLine(isASCII: TerminalCharacters.areASCII)
  private var status: StatusParts?
  private var topPanel = TopPanel()
  private var top: Top?
  /// Text that arrived while a cover was shown.
  private var withheld: WithheldOutput?
  /// Whether the program wants to know what is pasted, because a panel has the keyboard.
  package var marksPastes = false {
    didSet { updatePasteMarks() }
  }

  /// What the device has switched. A hidden cursor is shown while a panel has the keyboard. Pasted
  /// text is marked if the program or the device wants to know it (bracketed paste).
  var deviceModes: DeviceModes = [] {
    didSet {
      guard deviceModes != oldValue else { return }
      if deviceModes.contains(.hiddenCursor) != oldValue.contains(.hiddenCursor) {
        write(overlay.reveal(isCursorHidden) + panel.setCursorHidden(isCursorHidden))
      }
      updatePasteMarks()
    }
  }
  /// The bytes that undo what the device has switched, for the case that this program is killed.
  @Observed package var deviceRestoration: [UInt8] = []
  private var isCursorHidden: Bool { deviceModes.contains(.hiddenCursor) }
  /// Whether the terminal marks pasted text.
  private var isMarkingPastes = false
  /// The source of the text.
  weak var delegate: (any ScreenDelegate)? {
    didSet { if oldValue != nil { shown.forget() } }
  }
  /// What a full-screen program had drawn when the terminal was given to another program.
  private var kept: ScreenCells?
  /// Whether another program uses the terminal, or will soon.
  private var isGivenBack = false
  /// Where the cursor is, or may be: it changes before the bytes are written that move the cursor
  /// into a panel, and after those that move it back to the text.
  @Observed package private(set) var cursorPlace = CursorPlace.text
  /// Where the written bytes have left the cursor.
  private var focus = CursorPlace.text

  package init(
    _ output: OutputChannel, draws: Bool, hasAlternateScreen: Bool = true,
    size: @escaping () -> ScreenSize
  ) {
    self.output = output
    self.draws = draws
    self.hasAlternateScreen = draws && hasAlternateScreen
    wholeSize = size
    let size = size()
    shown = ShownScreen(
      rows: size.rows, columns: size.columns, hasAlternateScreen: hasAlternateScreen)
    shown.state = { [unowned self] in deviceState }
  }

  /// Shows bytes, immediately or after the cover was removed.
  package func show(_ bytes: UnsafeRawBufferPointer) {
    if let withheld {
      withheld.append(bytes, isMessage: false)
    } else if hasPanel {
      let closing = closePanels()
      note(bytes)
      write(closing + bytes + showPanels())
      showNoticesAsText()
    } else {
      note(bytes)
      output.write(bytes)
    }
  }

  /// Notes text that is shown.
  private func note(_ bytes: UnsafeRawBufferPointer) {
    tail.add(bytes)
    if draws { shown.add(bytes) }
  }

  /// Whether lines are shown that must be removed before text is shown.
  private var hasPanel: Bool { !panel.lines.isEmpty || overlay.isOpen || topOverlay.isOpen }

  /// Shows a text.
  package func show(_ text: String) {
    var text = text
    text.withUTF8 { show(UnsafeRawBufferPointer($0)) }
  }

  /// Shows a message about the session, which is never dropped.
  package func say(_ text: String) {
    var text = text
    text.withUTF8 { text in
      let bytes = UnsafeRawBufferPointer(text)
      if let withheld { return withheld.append(bytes, isMessage: true) }
      write(closePanels())
      note(bytes)
      output.write(bytes, isMessage: true)
      write(showPanels())
    }
  }

  // MARK: Notices

  /// Shows a message over what a full-screen program has drawn, until the user types.
  ///
  /// - Parameter text: the text that shows it if the program ends before.
  /// - Returns: whether there is such a program.
  func note(_ lines: [StyledLine], as text: String) -> Bool {
    guard !isGivenBack, drawnCells != nil else { return false }
    if notices.count == Self.mostNotices {
      notices.removeFirst()
      droppedNotices += 1
    }
    notices.append(Notice(lines: lines, text: text))
    if cover == nil { refresh() }
    return true
  }

  /// The number of messages that are kept. Nobody reads more on one screen.
  private static let mostNotices = 64

  /// Removes the messages, which the user has seen.
  package func removeNotices() {
    guard !notices.isEmpty, withheld == nil else { return }
    (notices, droppedNotices) = ([], 0)
    write(closePanels())
    write(showPanels())
  }

  /// Shows the messages as text if no full-screen program is left.
  private func showNoticesAsText() {
    guard !notices.isEmpty, withheld == nil, isGivenBack || drawnCells == nil else { return }
    let dropped =
      droppedNotices == 0 ? "" : "[\(droppedNotices.counted("earlier message")) not shown]\r\n"
    let text = notices.map(\.text).joined()
    (notices, droppedNotices) = ([], 0)
    say("\r\n" + dropped + text)
    cursorDidMove(toMargin: true)
  }

  /// Writes bytes directly, with the cursor in the text. While a page hides the text, nothing is
  /// written: what is drawn beside the text is drawn again afterwards.
  package func draw(_ bytes: [UInt8]) {
    guard pageContent == nil, !bytes.isEmpty else { return }
    if overlay.isOpen {
      write(overlay.around(bytes))
    } else if let cells = drawnCells {
      write(bytes + cells.placed)
    } else {
      write(panel.around(bytes))
      // It uses the place where the device may have saved the cursor: DECSC.
      if draws { shown.add(Array("\u{1B}7".utf8)) }
    }
  }

  /// Writes sequences that undo what the device has changed.
  func restore(_ sequences: [UInt8]) {
    onTextScreen {
      let closing = closePanels()
      sequences.withUnsafeBytes { note($0) }
      write(closing + sequences + showPanels())
    }
    showNoticesAsText()
  }

  /// Rings the bell.
  func ring() { write([0x07]) }

  /// The cells of a full-screen program; nil if there is none, or if not all are known.
  private var drawnCells: ScreenCells? { draws ? shown.readDrawn() : nil }

  /// Bytes that set the terminal to the device's state from any state; empty if that
  /// state is unknown.
  private var deviceState: [UInt8] { delegate?.deviceState ?? [] }

  /// Reports that the cursor is not where the shown text left it.
  func cursorDidMove(toMargin isAtMargin: Bool) { delegate?.cursorDidMove(toMargin: isAtMargin) }

  private func write(_ bytes: [UInt8]) {
    let place: CursorPlace =
      page.isOpen ? .page : panel.hasCursor || overlay.hasCursor ? .panel : .text
    // The guard process must know this first: it moves the cursor back if this program is killed.
    if place != .text, place != focus { cursorPlace = place }
    if !bytes.isEmpty { bytes.withUnsafeBytes { output.write($0) } }
    if place == .text, focus != .text { cursorPlace = .text }
    focus = place
  }

  // MARK: Below the text

  /// Shows a footer below the text, or removes it.
  func setFooter(_ lines: Content?) {
    footer = lines
    refresh()
  }

  /// Shows a cover. Text is held back until ``uncover()``.
  func cover(with lines: @escaping Content) {
    if withheld == nil { withheld = WithheldOutput() }
    cover = lines
    refresh()
  }

  /// Whether a cover can hide the text without moving it: on the alternate screen, or over a
  /// full-screen program.
  package var canCoverWhole: Bool { hasPage || drawnCells != nil }

  private var hasPage: Bool {
    hasAlternateScreen && !deviceState.isEmpty && !deviceModes.contains(.alternateScreen)
  }

  /// Shows a page on the alternate screen, or over the text. Text is held back until ``uncover()``,
  /// and is then where it was. Where this is not possible, shows a cover.
  func coverWhole(with lines: @escaping Content) {
    guard canCoverWhole, withheld == nil else { return cover(with: lines) }
    withheld = WithheldOutput()
    write(closePanels())
    pageContent = lines
    refresh()
  }

  /// Leaves the page for a change of the text's screen that must not wait.
  private func onTextScreen(_ change: () -> Void) {
    let hadPage = pageContent != nil
    if hadPage { write(closePage()) }
    change()
    if hadPage { refresh() }
  }

  private func closePage() -> [UInt8] {
    guard page.isOpen else { return overlay.close(isCursorHidden: isCursorHidden) }
    // The page has used the place where the device may have saved the cursor.
    return page.close() + (drawnCells?.placed ?? [])
  }

  /// Removes the cover, and shows the text that was held back.
  func uncover() {
    guard let withheld else { return }
    cover = nil
    self.withheld = nil
    if pageContent != nil {
      pageContent = nil
      write(closePage())
      // They may have changed meanwhile.
      if let status { draw(statusLine.redraw(status)) }
      refreshTop()
    }
    write(closePanels())
    let hasGap = withheld.write { bytes, isMessage in
      note(bytes)
      output.write(bytes, isMessage: isMessage)
    }
    if hasGap {
      rewrite()
    } else {
      write(showPanels())
      cursorDidMove(toMargin: false)
    }
    showNoticesAsText()
  }

  /// Draws the panel again with its current lines.
  package func refresh() {
    guard let pageContent else { return write(showPanel()) }
    let size = wholeSize()
    // A cover leaves a row for the cursor in the text; a page does not.
    let lines = drawable(pageContent(ScreenSize(rows: size.rows + 1, columns: size.columns)).lines)
    // The device may show another screen meanwhile.
    if page.isOpen || !overlay.isOpen && hasPage {
      write(page.show(lines, on: size))
    } else if let cells = overlay.cells ?? drawnCells {
      let rest = Array(repeating: StyledLine(), count: max(0, size.rows - lines.count))
      write(overlay.show(lines.prefix(size.rows) + rest, cursorColumn: 0, isCursorHidden, cells))
    }
  }

  private func showPanel() -> [UInt8] {
    guard pageContent == nil else { return [] }
    if cover == nil, !notices.isEmpty, let cells = overlay.cells ?? drawnCells {
      return overlay.show(inLastRows: drawable(notices.flatMap(\.lines)), cells)
    }
    guard let content = cover ?? footer else { return closePanel() }
    var lines = content(textSize)
    lines.lines = drawable(lines.lines)
    // Text that goes on would be painted again each time: of lines, only a cover knows the cells.
    if panel.lines.isEmpty, draws,
      let cells = overlay.cells ?? (cover == nil ? shown.readDrawn() : shown.read())
    {
      return overlay.show(belowCursor: lines, isCursorHidden, cells)
    }
    if panel.lines.isEmpty, draws, cover != nil { textBelow = shown.readBelow() }
    return noting(
      panel.show(lines, on: textSize, textColumn: tail.column(ofColumns: textSize.columns)))
  }

  /// Removes the panel below the text.
  private func closePanel() -> [UInt8] {
    guard overlay.isOpen else {
      defer { textBelow = [] }
      return noting(panel.close() + textBelow)
    }
    return overlay.close(isCursorHidden: isCursorHidden) + topOverlay.redraw()
  }

  /// Removes the panels that would not stay in their place while text is shown.
  private func closePanels() -> [UInt8] { closePanel() + topOverlay.close() }

  /// Shows the panels after a change of the text, or of the rows that it has.
  private func showPanels() -> [UInt8] {
    let top = topPanel.height > 0 ? [] : openTop()
    return top + adaptFrame() + showPanel()
  }

  /// The bytes of a panel, which change the screen of the text.
  private func noting(_ bytes: [UInt8]) -> [UInt8] {
    if draws { shown.add(bytes) }
    return bytes
  }

  /// The width of the screen, in columns.
  package var columns: Int { wholeSize().columns }

  /// The size of the screen without the status line and the panel at the top.
  package var textSize: ScreenSize { topPanel.rest(of: textSizeWithoutPanels) }

  /// The same without a panel at the top.
  package var textSizeWithoutPanels: ScreenSize { statusLine.rest(of: wholeSize()) }

  // MARK: Above the text

  /// Shows a panel at the top of the screen, or removes it. It stays while text is shown. On a
  /// screen that is too small, it is not shown.
  package func setTop(_ top: Top?) {
    guard draws else { return }
    onTextScreen {
      write(closePanels() + topPanel.close())
      self.top = top
      write(showPanels())
    }
  }

  /// Whether the device's text has the whole screen, besides the status line.
  package var isTopFree: Bool { topPanel.height == 0 }

  /// Draws the panel at the top again with its present lines.
  package func refreshTop() {
    // A panel may be over it, and is removed first.
    if topOverlay.isOpen, !overlay.isOpen, pageContent == nil { write(openTop()) }
    if topPanel.height > 0 { draw(showTop()) }
  }

  private func openTop() -> [UInt8] {
    guard let top, !isGivenBack else { return [] }
    let size = statusLine.rest(of: wholeSize())
    let height = top.height(size)
    if let cells = topOverlay.cells ?? drawnCells, height > 0, height < size.rows {
      if pageContent != nil { return [] }
      return topOverlay.show(
        lines(of: top, height, size.columns), cursorColumn: nil, isCursorHidden, cells)
    }
    return topPanel.open(
      height: height, on: size, isAboveStatusLine: statusLine.size != nil) + showTop()
  }

  private func showTop() -> [UInt8] {
    guard let top, let size = topPanel.size else { return [] }
    return topPanel.show(lines(of: top, topPanel.height, size.columns))
  }

  private func lines(of top: Top, _ height: Int, _ columns: Int) -> [StyledLine] {
    drawable(top.lines(ScreenSize(rows: height, columns: columns)))
  }

  /// The lines in the characters that the terminal has.
  private func drawable(_ lines: [StyledLine]) -> [StyledLine] {
    TerminalCharacters.areASCII ? lines.map(\.asciiForm) : lines
  }

  /// The rows between the panel at the top and the status line.
  private var frame: Range<Int> {
    topPanel.height..<max(topPanel.height + 1, topPanel.height + textSize.rows)
  }

  /// Gives the text the rows that are left for it now.
  ///
  /// - Returns: the sequences that draw what a full-screen program has drawn there.
  private func adaptFrame() -> [UInt8] {
    guard draws, frame != shown.frame else { return [] }
    return redraw(keepingLines: false)
  }

  private func redraw(keepingLines: Bool) -> [UInt8] {
    let size = wholeSize()
    shown.resize(frame, rows: size.rows, columns: size.columns, keepsLines: keepingLines)
    return (keepingLines ? shown.read() : shown.readDrawn())?.redrawn ?? []
  }

  // MARK: The last line

  /// Shows a status line, or removes it.
  package func setStatus(_ parts: StatusParts?) {
    switch (status, parts) {
    case (nil, let parts?): change { $0.enable(on: wholeSize(), parts) }
    case (_?, let parts?): draw(statusLine.show(parts))
    case (_?, nil): change { $0.disable() }
    case (nil, nil): break
    }
    status = parts
  }

  /// Changes the status line, with the panel removed meanwhile: it may be in the same row, or
  /// next to it.
  private func change(_ bytes: (inout StatusLine) -> [UInt8]) {
    // The panel at the top knows the number of rows.
    onTextScreen {
      write(closePanels() + topPanel.close() + bytes(&statusLine))
      write(adaptFrame() + showPanels())
    }
  }

  private func updatePasteMarks() {
    let areOn = marksPastes || deviceModes.contains(.markedPastes)
    guard areOn != isMarkingPastes else { return }
    isMarkingPastes = areOn
    write(pasteMarks(areOn))
  }

  private func pasteMarks(_ areOn: Bool) -> [UInt8] {
    areOn ? KeyDecoder.pasteMarksOn : KeyDecoder.pasteMarksOff
  }

  // MARK: Gaps

  /// Called when the first byte is dropped.
  func gapDidBegin() {
    // The notice of the gap is part of the text.
    switch focus {
    case .text: output.beforeNotice = ""
    case .panel: output.beforeNotice = "\u{1B}8"
    case .page:
      output.beforeNotice = AlternatePage.leaving
      page.forget()
    }
  }

  /// Writes the complete state of the terminal, because any sequence may be among the dropped
  /// bytes. The cursor is then at the start of a line of the text.
  func rewrite() {
    guard draws else { return cursorDidMove(toMargin: false) }
    let size = wholeSize()
    let cells = drawnCells
    tail.begin()
    overlay.forget()
    topOverlay.forget()
    write(page.close())
    write(panel.forget(on: size) + screenState + adaptStatusLine(to: size))
    if let cells {
      write(cells.redrawn)
    } else {
      write(topPanel.restore() + showTop())
      shown.forget()
    }
    write(panel.setCursorHidden(isCursorHidden) + showPanels())
    cursorDidMove(toMargin: false)
    if pageContent != nil { refresh() }
  }

  /// The bytes that set the terminal to its intended state from any state.
  private var screenState: [UInt8] {
    if isGivenBack { return Self.originalState }
    let state = deviceState
    // With `--raw` the device may have switched bracketed paste on itself.
    return state + (state.isEmpty && !isMarkingPastes ? [] : pasteMarks(isMarkingPastes))
  }

  /// The default state of a terminal.
  private static var originalState: [UInt8] {
    EscapeFilter.originalScreenState + KeyDecoder.pasteMarksOff
  }

  /// Discards queued output, and restores the terminal as far as it accepts output.
  package func giveUp() {
    guard draws else { return }
    // CAN ends a sequence whose end was discarded. With `--raw` the device may have switched more.
    let isKnown = !deviceState.isEmpty
    let leaving = page.isOpen ? Array(AlternatePage.leaving.utf8) : []
    output.giveUp(
      writing: [0x18] + leaving + deviceRestoration
        + (isKnown ? Self.originalState : SwitchedModes.everything))
  }

  // MARK: Changes from outside

  /// Adapts the screen to its new size.
  package func sizeDidChange() {
    // Text that a panel has moved is not where a terminal would have left it.
    let keepsLines = overlay.isOpen
    onTextScreen {
      let size = wholeSize()
      if panel.hasUnknownPlace(on: size) { tail.begin() }
      let erasure = panel.eraseAfterResize(to: size) + topPanel.eraseAfterResize()
      overlay.forget()
      topOverlay.forget()
      write(erasure + adaptStatusLine(to: size))
      if draws { write(redraw(keepingLines: keepsLines)) }
      write(showPanels())
      cursorDidMove(toMargin: false)
    }
  }

  /// Draws the status line if it did not fit, or was removed for a while.
  private func adaptStatusLine(to size: ScreenSize) -> [UInt8] {
    guard let status else { return [] }
    return statusLine.size == nil
      ? statusLine.enable(on: size, status) : statusLine.resize(to: size, status)
  }

  /// Erases the text, and draws the panels and the status line again.
  package func clear() {
    if topPanel.height > 0 {
      topPanel.eraseText().withUnsafeBytes { show($0) }
    } else {
      show("\u{1B}[H\u{1B}[2J")
    }
    tail.begin()
    if let status { draw(statusLine.redraw(status)) }
    cursorDidMove(toMargin: true)
  }

  /// Keeps what a full-screen program has drawn for ``resume()``. Call it before what the device
  /// has switched is undone.
  package func keep() {
    uncover()
    kept = drawnCells
  }

  /// Removes the panels and the status line until ``resume()``: another program uses the terminal.
  package func suspend() {
    uncover()
    write(closePanels() + topPanel.close())
    isGivenBack = true
    showNoticesAsText()
    if isMarkingPastes { write(pasteMarks(false)) }
    if status != nil { draw(statusLine.disable()) }
  }

  /// Draws everything again, because another program may have changed any state of the terminal.
  package func resume() {
    isGivenBack = false
    tail.forget()
    if draws {
      write(screenState)
      if let kept {
        // What the other program has shown moves into the terminal's scrollback.
        if !kept.isAlternate {
          write(
            Array("\u{1B}[r\u{1B}[9999H".utf8)
              + Array(repeating: UInt8(ascii: "\n"), count: kept.rows))
        }
        shown.restore(kept)
      } else {
        shown.forget()
      }
    }
    kept = nil
    sizeDidChange()
  }

  /// Removes the panels and the status line permanently.
  package func finish() {
    isGivenBack = true
    setTop(nil)
    footer = nil
    uncover()
    write(closePanels())
    showNoticesAsText()
    refresh()
    marksPastes = false
    setStatus(nil)
  }
}
