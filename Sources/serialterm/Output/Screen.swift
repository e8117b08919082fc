import Posix
import TerminalUI

/// The user's terminal as a place to draw on: what the device sends goes through it, lines of ours
/// stand below that, and the last line can show the state.
///
/// One thing at a time stands below: a footer, which is taken away before anything is shown and
/// comes back after, or a cover, while which everything that is to be shown is kept.
final class Screen {
  /// Makes lines for a screen.
  typealias Lines = (ScreenSize) -> [StyledLine]

  private let output: OutputChannel
  /// The whole screen's size.
  private let wholeSize: () -> ScreenSize
  private var panel = Panel()
  private var footer: Lines?
  private var cover: Lines?
  private var statusLine = StatusLine()
  private var status: String?
  /// What is to be shown when the cover has gone.
  private var withheld: WithheldOutput?
  /// Whether the terminal marks what is pasted: for as long as the keys are for us. What the device
  /// gets is as the user typed it, without marks.
  var marksPastes = false {
    didSet {
      if marksPastes != oldValue { draw(pasteMarks(marksPastes)) }
    }
  }

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
    } else if panel.lines.isEmpty {
      output.write(bytes)
    } else {
      draw(panel.close() + bytes + showPanel())
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
      draw(panel.close())
      output.write(bytes, isMessage: true)
      draw(showPanel())
    }
  }

  /// Writes bytes past everything.
  func draw(_ bytes: [UInt8]) { bytes.withUnsafeBytes { output.write($0) } }

  // MARK: Below the text

  /// Puts lines below the text, or takes them away.
  func setFooter(_ lines: Lines?) {
    footer = lines
    refresh()
  }

  /// Puts lines over the screen; what is to be shown is kept until ``uncover()``.
  func cover(with lines: @escaping Lines) {
    if withheld == nil { withheld = WithheldOutput() }
    cover = lines
    refresh()
  }

  /// Takes the cover away, and shows what was kept.
  func uncover() {
    guard let withheld else { return }
    cover = nil
    self.withheld = nil
    draw(panel.close())
    withheld.write(to: output)
    refresh()
    onCursorMoved(false)
  }

  /// Shows the lines as they are now.
  func refresh() { draw(showPanel()) }

  private func showPanel() -> [UInt8] {
    guard let lines = cover ?? footer else { return panel.close() }
    return panel.show(lines(textSize), on: textSize)
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
    draw(panel.close() + bytes(&statusLine) + showPanel())
  }

  private func pasteMarks(_ areOn: Bool) -> [UInt8] {
    areOn ? KeyDecoder.pasteMarksOn : KeyDecoder.pasteMarksOff
  }

  // MARK: Changes from outside

  /// The screen has another size.
  func sizeDidChange() {
    let size = wholeSize()
    let erasure = panel.eraseAfterResize(to: size)
    draw(erasure + adaptStatusLine(to: size) + showPanel())
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
    if let status { draw(statusLine.redraw(status)) }
    onCursorMoved(true)
  }

  /// Takes everything of ours off the screen, until ``resume()``: somebody else has the terminal.
  func suspend() {
    uncover()
    draw(panel.close())
    if marksPastes { draw(pasteMarks(false)) }
    if status != nil { draw(statusLine.disable()) }
  }

  /// Brings everything back. The screen may be another one in every respect.
  func resume() {
    if marksPastes { draw(pasteMarks(true)) }
    sizeDidChange()
  }

  /// Takes everything of ours away, and gives the screen back.
  func finish() {
    footer = nil
    uncover()
    refresh()
    marksPastes = false
    setStatus(nil)
  }
}
