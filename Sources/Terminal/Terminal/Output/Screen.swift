package import Observing
import Posix
package import TerminalWidgets
import TextStages

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
/// page on the alternate screen.
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
  private var panel = Panel()
  /// The position of the cursor in the text while it is in the panel.
  private var tail = LineTail()
  private var footer: Content?
  private var cover: Content?
  private var page = AlternatePage()
  /// The content of the page; nil while there is none.
  private var pageContent: Content?
  private var statusLine = StatusLine(isASCII: TerminalCharacters.areASCII)
  private var status: String?
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
        write(panel.setCursorHidden(isCursorHidden))
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
  weak var delegate: (any ScreenDelegate)?
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
  }

  /// Shows bytes, immediately or after the cover was removed.
  package func show(_ bytes: UnsafeRawBufferPointer) {
    if let withheld {
      withheld.append(bytes, isMessage: false)
    } else {
      tail.add(bytes)
      if panel.lines.isEmpty {
        output.write(bytes)
      } else {
        write(panel.close() + bytes + showPanel())
      }
    }
  }

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
      write(panel.close())
      tail.add(bytes)
      output.write(bytes, isMessage: true)
      write(showPanel())
    }
  }

  /// Writes bytes directly, with the cursor in the text. While a page hides the text, nothing is
  /// written: what is drawn beside the text is drawn again afterwards.
  package func draw(_ bytes: [UInt8]) {
    if !page.isOpen { write(panel.around(bytes)) }
  }

  /// Rings the bell.
  func ring() { write(panel.around([0x07])) }

  /// Bytes that set the terminal to the device's state from any state; empty if that
  /// state is unknown.
  private var deviceState: [UInt8] { delegate?.deviceState ?? [] }

  /// Reports that the cursor is not where the shown text left it.
  func cursorDidMove(toMargin isAtMargin: Bool) { delegate?.cursorDidMove(toMargin: isAtMargin) }

  private func write(_ bytes: [UInt8]) {
    let place: CursorPlace = page.isOpen ? .page : panel.hasCursor ? .panel : .text
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

  /// Whether a cover can hide the text without moving it. A device may use the alternate screen
  /// itself; with `--raw`, its state is unknown.
  package var canCoverWhole: Bool {
    hasAlternateScreen && !deviceState.isEmpty && !deviceModes.contains(.alternateScreen)
  }

  /// Shows a page on the alternate screen. Text is held back until ``uncover()``, and is then where
  /// it was. Where this is not possible, shows a cover.
  func coverWhole(with lines: @escaping Content) {
    guard canCoverWhole, withheld == nil else { return cover(with: lines) }
    withheld = WithheldOutput()
    write(panel.close())
    pageContent = lines
    refresh()
  }

  /// Leaves the alternate screen for a change of the text's screen that must not wait.
  private func onTextScreen(_ change: () -> Void) {
    write(page.close())
    change()
    if pageContent != nil { refresh() }
  }

  /// Removes the cover, and shows the text that was held back.
  func uncover() {
    guard let withheld else { return }
    cover = nil
    self.withheld = nil
    if pageContent != nil {
      pageContent = nil
      write(page.close())
      // They may have changed meanwhile.
      if let status { draw(statusLine.redraw(status)) }
      refreshTop()
    }
    write(panel.close())
    let hasGap = withheld.write { bytes, isMessage in
      tail.add(bytes)
      output.write(bytes, isMessage: isMessage)
    }
    if hasGap { return rewrite() }
    refresh()
    cursorDidMove(toMargin: false)
  }

  /// Draws the panel again with its current lines.
  package func refresh() {
    guard let pageContent else { return write(showPanel()) }
    let size = wholeSize()
    // A cover leaves a row for the cursor in the text; a page does not.
    let shown = pageContent(ScreenSize(rows: size.rows + 1, columns: size.columns))
    write(page.show((TerminalCharacters.areASCII ? shown.asciiForm : shown).lines, on: size))
  }

  private func showPanel() -> [UInt8] {
    guard pageContent == nil, let content = cover ?? footer else { return panel.close() }
    let shown = content(textSize)
    return panel.show(
      TerminalCharacters.areASCII ? shown.asciiForm : shown, on: textSize,
      textColumn: tail.column(ofColumns: textSize.columns))
  }

  /// The width of the screen, in columns.
  package var columns: Int { wholeSize().columns }

  /// The size of the screen without the status line and the panel at the top.
  package var textSize: ScreenSize { topPanel.rest(of: statusLine.rest(of: wholeSize())) }

  // MARK: Above the text

  /// Shows a panel at the top of the screen, or removes it. It stays while text is shown. On a
  /// screen that is too small, it is not shown.
  package func setTop(_ top: Top?) {
    guard draws else { return }
    onTextScreen {
      write(panel.close() + topPanel.close())
      self.top = top
      write(openTop() + showPanel())
    }
  }

  /// Whether the device's text has the whole screen, besides the status line.
  package var isTopFree: Bool { top == nil }

  /// Draws the panel at the top again with its present lines.
  package func refreshTop() {
    guard topPanel.height > 0 else { return }
    draw(showTop())
  }

  private func openTop() -> [UInt8] {
    guard let top, !isGivenBack else { return [] }
    let size = statusLine.rest(of: wholeSize())
    return topPanel.open(
      height: top.height(size), on: size, isAboveStatusLine: statusLine.size != nil) + showTop()
  }

  private func showTop() -> [UInt8] {
    guard let top, let size = topPanel.size else { return [] }
    let lines = top.lines(ScreenSize(rows: topPanel.height, columns: size.columns))
    return topPanel.show(TerminalCharacters.areASCII ? lines.map(\.asciiForm) : lines)
  }

  // MARK: The last line

  /// Shows a status line, or removes it.
  package func setStatus(_ text: String?) {
    switch (status, text) {
    case (nil, let text?): change { $0.enable(on: wholeSize(), text) }
    case (_?, let text?): draw(statusLine.show(text))
    case (_?, nil): change { $0.disable() }
    case (nil, nil): break
    }
    status = text
  }

  /// Changes the status line, with the panel removed meanwhile: it may be in the same row, or
  /// next to it.
  private func change(_ bytes: (inout StatusLine) -> [UInt8]) {
    // The panel at the top knows the number of rows.
    onTextScreen {
      write(
        panel.close() + topPanel.close() + bytes(&statusLine) + openTop() + showPanel())
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
    tail.begin()
    write(page.close())
    write(
      panel.forget(on: size) + screenState + adaptStatusLine(to: size) + topPanel.restore()
        + showTop() + panel.setCursorHidden(isCursorHidden) + showPanel())
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
    onTextScreen {
      let size = wholeSize()
      if panel.hasUnknownPlace(on: size) { tail.begin() }
      let erasure = panel.eraseAfterResize(to: size) + topPanel.eraseAfterResize()
      write(erasure + adaptStatusLine(to: size) + openTop() + showPanel())
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

  /// Removes the panels and the status line until ``resume()``: another program uses the terminal.
  package func suspend() {
    uncover()
    write(panel.close() + topPanel.close())
    if isMarkingPastes { write(pasteMarks(false)) }
    if status != nil { draw(statusLine.disable()) }
    isGivenBack = true
  }

  /// Draws everything again, because another program may have changed any state of the terminal.
  /// The device's state is set, but what it drew on the alternate screen is lost.
  package func resume() {
    isGivenBack = false
    tail.forget()
    if draws { write(screenState) }
    sizeDidChange()
  }

  /// Removes the panels and the status line permanently.
  package func finish() {
    isGivenBack = true
    setTop(nil)
    footer = nil
    uncover()
    refresh()
    marksPastes = false
    setStatus(nil)
  }
}
