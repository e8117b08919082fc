import EventLoop
import TerminalUI

/// Lets the user edit a line before it is sent, in a line of its own below what the device says.
final class LineInput {
  /// Called with a line that is to be sent, without its end; returns whether it is to be kept.
  var onLine: (String) -> Bool = { _ in true }
  /// Called with the byte of a control key that means nothing to an editor: it is for the device.
  var onControl: (UInt8) -> Void = { _ in }

  private let console: Console
  private lazy var reader = KeyReader(on: loop) { [unowned self] in handle($0) }
  private let loop: EventLoop
  /// Not lazy: what is lazy is copied by every change.
  private var editor = LineEditor()
  private var history = HistoryFile(ofProfile: nil)
  private var isHistoryLoaded = false
  private var isRefreshDue = false

  init(on console: Console, loop: EventLoop) {
    self.console = console
    self.loop = loop
  }

  /// Goes over to another history, if it is another; what is being typed stays.
  func use(_ other: HistoryFile) {
    guard other.name != history.name else { return }
    history = other
    if isHistoryLoaded { editor.replaceHistory(history.load()) }
  }

  /// Shows the line; the history is read the first time.
  func show() {
    if !isHistoryLoaded { editor = LineEditor(history: history.load()) }
    isHistoryLoaded = true
    console.screen.setFooter { [unowned self] size in
      let view = LineEditorView(prompt: "> ", width: size.columns)
      return [view.line(of: editor, usesAttributes: console.outputStyle.isColoured)]
    }
  }

  /// Takes the line off the screen; what was typed is kept.
  func hide() {
    reader.reset()
    console.screen.setFooter(nil)
  }

  /// Takes bytes that were typed; see ``InputPump/focus``.
  func take(_ bytes: UnsafeRawBufferPointer) -> Int { reader.take(bytes) }

  private func handle(_ key: Key) {
    for event in editor.handle(key) {
      switch event {
      case .submit(let line):
        if onLine(line) { history.append(line) }
      case .endOfInput: onControl(0x04)
      case .unused(let key):
        if let byte = key.controlByte { onControl(byte) }
      }
    }
    refreshLater()
  }

  /// Shows the line once a turn, however many keys came: what is pasted without marks is many.
  private func refreshLater() {
    guard !isRefreshDue else { return }
    isRefreshDue = true
    loop.atEndOfTurn { [weak self] in
      self?.isRefreshDue = false
      self?.console.screen.refresh()
    }
  }
}

extension Key {
  /// The control character that a terminal sends for the key.
  fileprivate var controlByte: UInt8? {
    switch self {
    case .control(let letter): UInt8(letter.value & 0x1F)
    case .named(.tab, _): 0x09
    case .named(.escape, _): 0x1B
    case .character, .alt, .named, .paste: nil
    }
  }
}
