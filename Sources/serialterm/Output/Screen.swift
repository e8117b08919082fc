import Posix
import TerminalUI
import Views

/// The user's terminal as a place to draw on: what the device sends goes through it, lines of ours
/// stand below that, and the last line can show the state.
///
/// One thing at a time stands below: a footer, which is taken away before anything is shown and
/// comes back after, or a cover, while which everything that is to be shown is kept.
final class Screen {
  /// Makes the lines of a panel for a screen.
  typealias Content = (ScreenSize) -> PanelContent

  private let output: OutputChannel
  /// The whole screen's size.
  private let wholeSize: () -> ScreenSize
  private var panel = Panel()
  /// Where the cursor is in the text, while it is in the panel.
  private var tail = LineTail()
  private var footer: Content?
  private var cover: Content?
  private var statusLine = StatusLine(isASCII: TerminalCharacters.areASCII)
  private var status: String?
  /// What is to be shown when the cover has gone.
  private var withheld: WithheldOutput?
  /// Whether the terminal marks what is pasted: for as long as the keys are for us. What the device
  /// gets is as the user typed it, without marks.
  var marksPastes = false {
    didSet {
      if marksPastes != oldValue { write(pasteMarks(marksPastes)) }
    }
  }

  /// Whether the device has hidden the cursor: where the user types for us, it is shown.
  var isCursorHidden = false {
    didSet {
      if isCursorHidden != oldValue { write(panel.setCursorHidden(isCursorHidden)) }
    }
  }
  /// The bytes that bring the terminal into the state that the device has set (colours, cursor, wrapping,
  /// scroll region), whatever state it is in; empty if nobody knows.
  var deviceState: () -> [UInt8] = { [] }
  /// Whether the terminal is, or is about to be, somebody else's.
  private var isGivenBack = false
  /// Called when the cursor has gone to where the user types for us, or back.
  var onFocus: (_ hasCursor: Bool) -> Void = { _ in }
  private var hadCursor = false

  /// Called when the cursor is not where what was shown has left it: with whether it is known to
  /// stand in the first column.
  var onCursorMoved: (_ isAtMargin: Bool) -> Void = { _ in }

  init(_ output: OutputChannel, size: @escaping () -> ScreenSize) {
    self.output = output
    wholeSize = size
  }

  /// Shows bytes, now or when the cover has gone.
  func show(_ bytes: UnsafeRawBufferPointer) {
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

  /// Shows the text's bytes.
  func show(_ text: String) {
    var text = text
    text.withUTF8 { show(UnsafeRawBufferPointer($0)) }
  }

  /// Shows what is said about the session, which is never left out.
  func say(_ text: String) {
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

  /// Writes bytes past everything, with the cursor in the text.
  func draw(_ bytes: [UInt8]) { write(panel.around(bytes)) }

  private func write(_ bytes: [UInt8]) {
    let hasCursor = panel.hasCursor
    // Whoever is to move the cursor back if the program is killed knows it before it has gone.
    if hasCursor && !hadCursor { onFocus(true) }
    if !bytes.isEmpty { bytes.withUnsafeBytes { output.write($0) } }
    if !hasCursor && hadCursor { onFocus(false) }
    hadCursor = hasCursor
  }

  // MARK: Below the text

  /// Puts lines below the text, or takes them away.
  func setFooter(_ lines: Content?) {
    footer = lines
    refresh()
  }

  /// Puts lines over the screen; what is to be shown is kept until ``uncover()``.
  func cover(with lines: @escaping Content) {
    if withheld == nil { withheld = WithheldOutput() }
    cover = lines
    refresh()
  }

  /// Takes the cover away, and shows what was kept.
  func uncover() {
    guard let withheld else { return }
    cover = nil
    self.withheld = nil
    write(panel.close())
    let hasGap = withheld.write { bytes, isMessage in
      tail.add(bytes)
      output.write(bytes, isMessage: isMessage)
    }
    if hasGap { return rewrite() }
    refresh()
    onCursorMoved(false)
  }

  /// Shows the lines as they are now.
  func refresh() { write(showPanel()) }

  private func showPanel() -> [UInt8] {
    guard let content = cover ?? footer else { return panel.close() }
    let shown = content(textSize)
    return panel.show(
      TerminalCharacters.areASCII ? shown.asciiForm : shown, on: textSize,
      textColumn: tail.column(ofColumns: textSize.columns))
  }

  /// The width of the screen, in columns.
  var columns: Int { wholeSize().columns }

  /// The size of the screen without the status line.
  var textSize: ScreenSize { statusLine.rest(of: wholeSize()) }

  // MARK: The last line

  /// Shows a text in the last line, or gives the line back.
  func setStatus(_ text: String?) {
    switch (status, text) {
    case (nil, let text?): change { $0.enable(on: wholeSize(), text) }
    case (_?, let text?): draw(statusLine.show(text))
    case (_?, nil): change { $0.disable() }
    case (nil, nil): break
    }
    status = text
  }

  /// The panel stands where the last line is to be, or next to it.
  private func change(_ bytes: (inout StatusLine) -> [UInt8]) {
    write(panel.close() + bytes(&statusLine) + showPanel())
  }

  private func pasteMarks(_ areOn: Bool) -> [UInt8] {
    areOn ? KeyDecoder.pasteMarksOn : KeyDecoder.pasteMarksOff
  }

  // MARK: Gaps

  /// Bytes begin to be left out.
  func gapDidBegin() {
    // What is said of the gap stands in the text.
    output.beforeNotice = hadCursor ? "\u{1B}8" : ""
  }

  /// Writes the whole state of the terminal again, the device's and ours: bytes were left out, and any
  /// sequence may have been among them. The cursor is at the beginning of a line of the text.
  func rewrite() {
    guard Console.kind == .drawing else { return onCursorMoved(false) }
    let size = wholeSize()
    tail.begin()
    write(
      panel.forget(on: size) + screenState + adaptStatusLine(to: size)
        + panel.setCursorHidden(isCursorHidden) + showPanel())
    onCursorMoved(false)
  }

  /// The bytes that bring the terminal into the state that it should be in, whatever state it is in.
  private var screenState: [UInt8] {
    if isGivenBack { return Self.originalState }
    let state = deviceState()
    // A device whose sequences all pass may have the marks switched on itself.
    return state + (state.isEmpty && !marksPastes ? [] : pasteMarks(marksPastes))
  }

  /// The state of a terminal that neither a device nor we have changed.
  private static var originalState: [UInt8] {
    EscapeFilter.originalScreenState + KeyDecoder.pasteMarksOff
  }

  /// Gives up what the terminal has not taken, and gives it back as far as it takes anything.
  func giveUp() {
    guard Console.kind == .drawing else { return }
    // CAN: what was given up may have begun a sequence.
    output.giveUp(writing: [0x18] + Self.originalState)
  }

  // MARK: Changes from outside

  /// The screen has another size.
  func sizeDidChange() {
    let size = wholeSize()
    if panel.losesPlace(on: size) { tail.begin() }
    let erasure = panel.eraseAfterResize(to: size)
    write(erasure + adaptStatusLine(to: size) + showPanel())
    onCursorMoved(false)
  }

  /// A line that had no room, or was taken away for a while, is brought back.
  private func adaptStatusLine(to size: ScreenSize) -> [UInt8] {
    guard let status else { return [] }
    return statusLine.size == nil
      ? statusLine.enable(on: size, status) : statusLine.resize(to: size, status)
  }

  /// Erases the screen, and draws anew what is ours.
  func clear() {
    show("\u{1B}[H\u{1B}[2J")
    tail.begin()
    if let status { draw(statusLine.redraw(status)) }
    onCursorMoved(true)
  }

  /// Takes everything of ours off the screen, until ``resume()``: somebody else has the terminal.
  func suspend() {
    uncover()
    write(panel.close())
    if marksPastes { write(pasteMarks(false)) }
    if status != nil { draw(statusLine.disable()) }
    isGivenBack = true
  }

  /// Brings everything back. The screen may be another one in every respect.
  func resume() {
    isGivenBack = false
    tail.forget()
    if marksPastes { write(pasteMarks(true)) }
    sizeDidChange()
  }

  /// Takes everything of ours away, and gives the screen back.
  func finish() {
    isGivenBack = true
    footer = nil
    uncover()
    refresh()
    marksPastes = false
    setStatus(nil)
  }
}
