import EventLoop
import Observing
import Posix
import SerialCore
import Sessions
import SystemPackage
import Telnet
import Terminal
import TerminalWidgets
import TextTools

/// The user's keyboard, or the pipe in its place. What is typed goes where the ``KeyRoute`` of the present state leads.
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
  /// Shows the dialogs, which get the keys while they are open.
  let dialogs: Dialogs
  /// Counts and reports what is not sent.
  private(set) lazy var refusals = RefusalReport(on: app.loop) { [app] in app.console.warn($0) }
  /// Whether the user has typed a line without ending it.
  private(set) var isTypingLine = false

  private let app: App
  private let focus: PortFocus
  private let lineInput: LineInput
  private let historyFolder: FilePath?
  private var observations: [AnyObject] = []

  init(
    in environment: UserInterface.Environment, of app: App, at focus: PortFocus,
    with keys: CommandKeys
  ) {
    (self.app, self.focus, self.keys) = (app, focus, keys)
    terminal = environment.terminal
    historyFolder = environment.historyFolder
    input = InputPump(
      from: environment.streams.input, to: focus.port.session, isTerminal: terminal != nil,
      isReadOnly: focus.port.configuration.isReadOnly)
    dialogs = Dialogs(on: app.console, loop: app.loop)
    lineInput = LineInput(
      on: app.console, loop: app.loop,
      keeping: HistoryFile(ofProfile: nil, in: environment.historyFolder))
    adoptConfiguration()
  }

  /// Applies the configuration of the first port, whose keys and lists all ports share.
  private func adoptConfiguration() {
    let configuration = focus.ports[0].configuration
    keys.adopt(configuration)
    (input.prefix, input.escape) = (configuration.prefix, configuration.escape)
    dialogs.isPlain = configuration.printsLists || app.console.kind != .drawing
    useHistory()
  }

  /// Uses the history of the port with the focus.
  private func useHistory() {
    lineInput.use(HistoryFile(ofProfile: focus.port.configuration.profile, in: historyFolder))
  }

  // MARK: Observing

  /// Starts to follow the configuration of the first port, which is complete when its device is known.
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
      focus.changes.observe { [unowned self] _ in followState() },
      dialogs.$isOpen.observe { [unowned self] _ in followState() },
      lineInput.events.observe { [unowned self] in handle($0) },
    ]
    lineInput.follow(focus.port.text.shown)
    input.delegate = self
  }

  private func focusDidMove() {
    input.session = focus.port.session
    useHistory()
    isTypingLine = false
    lineInput.follow(focus.port.text.shown)
  }

  /// Directs typed bytes to the receiver that the present state determines.
  func followState() {
    let state = focus.state
    let route = KeyRoute(for: state, isDialogOpen: dialogs.isOpen)
    input.isRefusing = KeyRoute.refusal(in: state) != nil
    input.mapList = state.view.map
    input.lineEnding = state.lineEnding
    input.isShared = focus.port.configuration.writers == .all
    lineInput.keepsLines = !state.isReadOnly
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
    case .line(let line): input.send(Array("\(line)\r".utf8))
    case .control(let byte): input.send([byte])
    case .dropped(let count): refusals.add(count, because: "the line is full")
    }
  }

  /// Sends bytes like a paste.
  ///
  /// - Throws: ``Failure`` if there is no room for all of them. Then none are sent.
  func send(_ bytes: [UInt8]) throws(Failure) {
    guard input.send(exactly: bytes) else {
      throw Failure(
        .otherFailure,
        "\(bytes.count.bytesWere) not sent: the queue is full, the device is too slow.")
    }
  }

  /// Records whether the typed text is an unfinished line. The keys that discard a line at a prompt also end it:
  /// ctrl-c, ctrl-d and ctrl-u.
  private func noteTyped(_ bytes: UnsafeRawBufferPointer) {
    guard let last = bytes.last else { return }
    isTypingLine = ![0x03, 0x04, 0x0A, 0x0D, 0x15].contains(last)
  }

  /// Sends the bytes for the focused port to the other ports too. These do not hold the keyboard back.
  private func sendToOthers(_ bytes: UnsafeRawBufferPointer) {
    for port in focus.ports where port !== focus.port {
      do throws(SerialError) {
        if let reason = Need.toSend.unmet(in: port.model.state) {
          refusals.add(bytes.count, because: port.port.named(reason))
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
    let unmet = Need.toSend.unmet(in: focus.state)
    let reason = unmet ?? "the queue is full, the device is too slow"
    if terminal != nil {
      refusals.add(count, because: reason, advice: penAdvice(for: reason))
    } else {
      refusals.addPiped(count, because: reason)
    }
  }

  /// How the user gets the pen, if that is the reason why nothing was sent; nil if there is no way now.
  private func penAdvice(for reason: String) -> String? {
    let state = focus.state
    guard reason == Need.pen.unmet(in: state), let key = keys.name(of: .pen),
      Command.pen.availability(in: state) == .enabled
    else { return nil }
    return switch state.sharing.pen {
    case .free: "Press \(key) to get the keyboard."
    case .others(let person) where person.answers: "Press \(key) to ask for the keyboard."
    case .others, .mine, .everybodys, .nobodys: nil
    }
  }
}

extension Keyboard: InputPumpDelegate {
  func input(_ input: InputPump, didReadCommand key: UInt8) { events.notify(.command(key)) }

  func input(_ input: InputPump, didReadOther key: Key) { events.notify(.otherKey(key)) }

  func input(_ input: InputPump, didReadEscape command: EscapeParser.Command) {
    events.notify(.escape(command))
  }

  /// The bytes may wait for the end of another member's line.
  func input(_ input: InputPump, writeShared bytes: UnsafeRawBufferPointer) -> Bool {
    focus.port.controller.sharing.writeInTurn(bytes)
  }

  func input(_ input: InputPump, didAccept bytes: UnsafeRawBufferPointer) {
    // A standard output that is not a terminal gets only the bytes of the device.
    guard app.console.isOutputTerminal else { return }
    noteTyped(bytes)
    focus.port.view.showTyped(bytes)
  }

  func input(_ input: InputPump, didWrite bytes: UnsafeRawBufferPointer) {
    if app.console.isOutputTerminal { focus.port.view.showSent(bytes) }
    if focus.sendsToAll { sendToOthers(bytes) }
  }

  func input(_ input: InputPump, didRefuse count: Int) { refuse(count) }

  func inputDidEnd(_ input: InputPump, with error: Errno?) { events.notify(.ended(error)) }
}

extension Keyboard: KeyReceiver {
  /// Handles typed bytes while a file is sent, or a script or program runs. They are not sent, because the device
  /// would receive them in the middle of that.
  func receive(typed bytes: UnsafeRawBufferPointer) -> Int {
    let interrupt: UInt8 = 0x03
    if bytes.contains(interrupt) {
      focus.port.controller.exchange?.stop()
    } else {
      refuse(bytes.count)
    }
    return bytes.count
  }
}
