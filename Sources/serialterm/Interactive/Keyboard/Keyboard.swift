import Framing
import Encodings
import EventLoop
import Observing
import Options
import Posix
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import TextTools

/// The user's keyboard, or the pipe in its place. What is typed goes where the ``KeyRoute`` of the
/// present state leads.
final class Keyboard {
  /// What the user wants besides typing.
  enum Event {
    /// The command of a key after the prefix.
    case command(UInt8)
    /// A key after the prefix that no command can have.
    case otherKey(Key)
    /// The command of an escape sequence.
    case escape(EscapeParser.Command)
    /// The input has ended, with the error of a failed read.
    case ended(Errno?)
  }

  let events = Observable<Event>()
  /// The terminal at which the user types; nil for a pipe.
  let terminal: (any TerminalMode)?
  /// The keys of the commands.
  let keys: CommandKeys
  let input: InputPump
  let histories: UserHistories
  /// Shows the dialogs, which get the keys while they are open.
  let dialogs: Dialogs
  /// Counts and reports what is not sent.
  private(set) lazy var refusals = RefusalReport(on: app.loop) { [app] in app.console.warn($0) }
  /// Whether the user has typed a line without ending it.
  private(set) var isTypingLine = false

  private let app: App
  private let focus: PortFocus
  private let lineInput: LineInput
  private var observations: [AnyObject] = []

  init(
    in environment: UserInterface.Environment, of app: App, at focus: PortFocus,
    with keys: CommandKeys
  ) {
    (self.app, self.focus, self.keys) = (app, focus, keys)
    terminal = environment.terminal
    histories = UserHistories(in: environment.historyFolder)
    input = InputPump(
      from: environment.streams.input, to: focus.port.session, isTerminal: terminal != nil,
      isReadOnly: focus.state.isReadOnly, on: app.loop)
    dialogs = Dialogs(on: app.console, loop: app.loop)
    lineInput = LineInput(
      on: app.console, loop: app.loop,
      keeping: histories.lines(ofProfile: nil))
    adoptConfiguration()
  }

  /// Applies the configuration of the first port, whose keys and lists all ports share.
  private func adoptConfiguration() {
    let configuration = focus.ports[0].configuration
    keys.adopt(configuration)
    (input.prefix, input.escape) = (keys.prefix, keys.escape)
    dialogs.isPlain = configuration.values[ViewParameters.plain] || app.console.kind != .drawing
    useHistory()
  }

  /// Uses the history of the port with the focus.
  private func useHistory() {
    lineInput.use(histories.lines(ofProfile: focus.port.configuration.profile.name))
  }

  // MARK: Observing

  /// Starts to follow the configuration of the first port, which is complete when its
  /// device is known.
  func followConfiguration() {
    observations.append(
      focus.ports[0].$configuration.observe { [unowned self] _ in
        let words = keys.quitAndHelp
        adoptConfiguration()
        if words != keys.quitAndHelp { app.console.say(keys.quitAndHelp) }
      })
  }

  /// Starts to follow the focus, the state of its port, and what is typed.
  func begin() {
    observations += [
      focus.$port.observe { [unowned self] _ in focusDidMove() },
      focus.changes.observe { [unowned self] _ in stateDidChange() },
      dialogs.$isOpen.observe { [unowned self] _ in stateDidChange() },
      lineInput.events.observe { [unowned self] in handle($0) },
    ]
    lineInput.observePrompts(in: focus.port.text.shown)
    (input.delegate, input.writer.delegate) = (self, self)
  }

  private func focusDidMove() {
    input.session = focus.port.session
    useHistory()
    isTypingLine = false
    lineInput.observePrompts(in: focus.port.text.shown)
  }

  /// Directs typed bytes to the receiver that the present state determines.
  func stateDidChange() {
    let state = focus.state
    let route = KeyRoute(for: state, isDialogOpen: dialogs.isOpen)
    input.isRefusing = KeyRoute.refusal(in: state) != nil
    input.writer.mapList = state.view.map
    input.writer.encoding = state.view.encoding
    input.writer.lineEnding = state.lineEnding
    input.writer.isShared = focus.port.configuration.values[SharingParameters.writers].rule == .all
    lineInput.keepsLines = !state.isReadOnly
    lineInput.form = state.inputMode == .hex ? .hex : .text
    input.takesEscapes = route != .dialog
    app.console.screen.marksPastes =
      state.screen == .drawing && (route == .dialog || route == .line)
    switch route {
    case .dialog:
      input.focus = dialogs
      // Typed text is then an answer, which is printed below the list and not in the line.
      if dialogs.isPlain { lineInput.hide() }
      return
    case .exchange: input.focus = self
    case .line: input.focus = lineInput
    case .device, .refused: input.focus = nil
    }
    if state.editsLines { lineInput.show() } else { lineInput.hide() }
  }

  // MARK: Sending

  private func handle(_ event: LineInput.Event) {
    switch event {
    case .line(let line) where lineInput.form == .hex: sendHex(line)
    case .line(let line): input.writer.send(Array("\(line)\r".utf8))
    case .refused(let mistake): app.console.say("not sent: \(mistake).")
    case .control(let byte): input.writer.send([byte])
    case .dropped(let count): refusals.add(count, because: "the line is full")
    }
  }

  /// Sends a line of hexadecimal numbers.
  private func sendHex(_ line: String) {
    guard let bytes = try? HexText.parse(line), !bytes.isEmpty else {
      return app.console.say("not sent: the line has no hexadecimal numbers.")
    }
    do throws(Failure) {
      try send(.numbers(bytes))
    } catch {
      app.console.say(error.message)
    }
  }

  /// Sends a message and the checksum of the session after it.
  ///
  /// - Parameter showsChecksum: whether to show the bytes that were appended.
  /// - Throws: ``Failure``, for the reasons of ``send(_:followedBy:)``. Then nothing is sent.
  func send(_ message: OutgoingMessage, showsChecksum: Bool = true) throws(Failure) {
    let checksum = focus.state.checksum
    var appended: [UInt8] = []
    switch message {
    case .text(let text):
      try send(text) { bytes in
        appended = checksum?.bytes(for: bytes) ?? []
        return appended
      }
    case .numbers(let bytes):
      appended = checksum?.bytes(for: bytes) ?? []
      try check(input.writer.send(exactly: bytes + appended), bytes.count + appended.count)
    }
    if let checksum, showsChecksum {
      app.console.say("appended \(checksum.name): \(HexText.spaced(appended)).")
    }
  }

  /// Sends text like a paste, in the encoding of the device.
  ///
  /// - Parameter suffix: returns what follows the bytes that are sent.
  /// - Throws: ``Failure`` if there is no room for all of it, or if the encoding does not have a
  ///   character. Then nothing is sent.
  func send(
    _ text: [UInt8], followedBy suffix: ([UInt8]) -> [UInt8] = { _ in [] }
  ) throws(Failure) {
    let isSent: Bool
    do throws(UnencodableText) {
      isSent = try input.writer.send(text: text, followedBy: suffix)
    } catch {
      throw .unsent(because: error)
    }
    try check(isSent, text.count)
  }

  private func check(_ isSent: Bool, _ count: Int) throws(Failure) {
    if isSent { return }
    throw .unsent(count, in: focus.state)
  }

  /// Records whether the typed text is an unfinished line. The keys that discard a line at a prompt
  /// also end it: ctrl-c, ctrl-d and ctrl-u.
  private func noteTyped(_ bytes: UnsafeRawBufferPointer) {
    guard let last = bytes.last else { return }
    isTypingLine = ![0x03, 0x04, 0x0A, 0x0D, 0x15].contains(last)
  }

  /// Sends the bytes for the focused port to the other ports too. These do not hold
  /// the keyboard back.
  private func sendToOthers(_ bytes: UnsafeRawBufferPointer) {
    for port in focus.ports where port !== focus.port {
      do throws(SerialError) {
        if let reason = Need.toSend.unmet(in: port.model.state) {
          refusals.add(bytes.count, because: port.port.named(reason.text))
        } else {
          try port.session.write(bytes.bytes, by: .keyboard)
        }
      } catch {
        refusals.add(bytes.count, because: port.port.named("the queue is full"))
      }
    }
  }

  // MARK: Refusing

  /// Reports why typed bytes do not reach the device.
  private func refuse(_ count: Int) {
    let state = focus.state
    let reason = Need.toSend.unmet(in: state) ?? .crowded
    guard terminal != nil else { return refusals.addPiped(count, because: reason.text) }
    refusals.add(
      count, because: reason.text,
      advice: keys.penAdvice(for: reason, in: state).map {
        keys.explainingPen(in: $0, canAsk: true)
      })
  }
}

extension Keyboard: InputPumpDelegate {
  func inputDidBegin(_ input: InputPump) { app.console.screen.removeNotices() }
  func input(_ input: InputPump, didReadCommand key: UInt8) { events.notify(.command(key)) }

  func input(_ input: InputPump, didReadOther key: Key) { events.notify(.otherKey(key)) }

  func input(_ input: InputPump, didReadEscape command: EscapeParser.Command) {
    events.notify(.escape(command))
  }

  func inputDidEnd(_ input: InputPump, with error: Errno?) { events.notify(.ended(error)) }
}

extension Keyboard: SessionWriterDelegate {
  /// The bytes may wait for the end of another member's line.
  func writer(_ writer: SessionWriter, writeShared bytes: UnsafeRawBufferPointer) -> Bool {
    focus.port.controller.sharing.writeInTurn(bytes)
  }

  func writer(_ writer: SessionWriter, didAccept bytes: UnsafeRawBufferPointer) {
    // A standard output that is not a terminal gets only the bytes of the device.
    guard app.console.isOutputTerminal else { return }
    noteTyped(bytes)
    focus.port.view.showTyped(bytes)
  }

  func writer(_ writer: SessionWriter, didWrite bytes: UnsafeRawBufferPointer) {
    if app.console.isOutputTerminal { focus.port.view.showSent(bytes) }
    if focus.sendsToAll { sendToOthers(bytes) }
  }

  func writer(_ writer: SessionWriter, didRefuse character: UnencodableText) {
    refusals.add(character.utf8Count, because: "\(character)")
  }

  func writer(_ writer: SessionWriter, didRefuse count: Int) { refuse(count) }
}

extension Keyboard: KeyReceiver {
  /// Handles typed bytes while a file is sent, or a script or program runs. They are not sent,
  /// because the device would receive them in the middle of that.
  func receive(typed bytes: UnsafeRawBufferPointer) -> Int {
    if bytes.contains(0x03) {  // ctrl-c
      focus.port.controller.sending.exchange?.stop()
    } else {
      refuse(bytes.count)
    }
    return bytes.count
  }
}
