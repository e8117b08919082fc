package import EventLoop
package import Observing
package import TerminalWidgets

/// Lets the user edit a line before it is sent. The line is shown below the device's text.
///
/// Lines are kept for later sessions, except those typed at a password prompt.
package final class LineInput: KeyReceiver {
  /// What the user typed.
  package enum Event {
    /// A complete line, without its end.
    case line(String)
    /// A line that is wrong for ``form``, with the mistake in words. The user still edits it.
    case refused(String)
    /// A control character for the device, which the editor does not use.
    case control(UInt8)
    /// Bytes that did not fit into the line, and their number.
    case dropped(Int)
  }

  package let events = Observable<Event>()
  /// What the lines contain.
  package var form: LineEditor.Form {
    get { editor.form }
    set {
      guard newValue != editor.form else { return }
      editor.form = newValue
      console.screen.refresh()
    }
  }
  /// Whether lines are added to the history.
  package var keepsLines = true

  private let console: Console
  private lazy var reader = KeyReader(on: loop) { [unowned self] in handle($0) }
  private let loop: IOLoop
  // Not lazy: each change of a lazy property copies it.
  private var editor = LineEditor()
  private var prompt = PasswordPrompt()
  /// Whether the device has sent bytes since the last check for a password prompt.
  private var isPromptNew = false
  private var history: HistoryFile
  private var isHistoryLoaded = false
  private var isRefreshDue = false
  private var device: ObservationToken<UnsafeRawBufferPointer>?

  /// - Parameter history: the lines of earlier sessions.
  package init(on console: Console, loop: IOLoop, keeping history: HistoryFile) {
    self.history = history
    self.console = console
    self.loop = loop
  }

  /// Changes to another history. The present line stays.
  package func use(_ other: HistoryFile) {
    guard other.name != history.name else { return }
    history = other
    if isHistoryLoaded { editor.replaceHistory(history.load()) }
  }

  /// Shows the line. The first call reads the history.
  package func show() {
    if !isHistoryLoaded { editor.replaceHistory(history.load()) }
    isHistoryLoaded = true
    console.screen.setFooter { [unowned self] size in
      LineEditorView(prompt: form == .hex ? "hex> " : "> ", width: size.columns).content(of: editor)
    }
  }

  /// Removes the line from the screen and keeps its text.
  package func hide() {
    reader.reset()
    console.screen.setFooter(nil)
  }

  /// Starts to search the bytes of a device for a password prompt, in place of those
  /// of another one.
  package func observePrompts(in received: Observable<UnsafeRawBufferPointer>) {
    device = received.observe { [unowned self] bytes in
      prompt.add(bytes)
      isPromptNew = true
    }
  }

  package func receive(typed bytes: UnsafeRawBufferPointer) -> Int { reader.receive(bytes) }

  private func handle(_ key: Key) {
    if isPromptNew {
      editor.takesSecret = prompt.isShown
      isPromptNew = false
    }
    for event in editor.handle(key) {
      switch event {
      case .submit(let line):
        events.notify(.line(line))
        if keepsLines { history.append(line) }
      case .refused(let mistake): events.notify(.refused(mistake))
      case .submitSecret(let line): events.notify(.line(line))
      case .dropped(let count): events.notify(.dropped(count))
      case .endOfInput: events.notify(.control(0x04))
      case .unused(let key):
        if let byte = key.controlByte { events.notify(.control(byte)) }
      }
    }
    refreshLater()
  }

  /// Shows the line once per turn, for any number of keys: an unmarked paste is many keys.
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
    case .named(.tab, _): UInt8(ascii: "\t")
    case .named(.escape, _): 0x1B
    case .character, .alt, .named, .paste: nil
    }
  }
}
