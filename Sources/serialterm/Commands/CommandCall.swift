import EventLoop
import Framing
import Plotting
import SerialCore
import Sessions
import SystemPackage
import Terminal

/// One use of a command: its sender, the session that it acts on, and the receiver of the outcome.
struct CommandCall {
  /// The sender of a command.
  enum Sender: CaseIterable {
    case key, palette, json, script, signal
  }

  var sender: Sender
  /// Whether the sender is a user, who sees the present values.
  var isFromUser: Bool { sender == .key || sender == .palette }
  /// The session that the command acts on.
  let port: Port
  /// The user of the session; nil if there is none.
  let user: (any CommandUser)?
  /// Sends for the sender of the command; nil if nothing does.
  let messages: (any MessageSender)?
  /// The argument as text; nil if the sender gave none.
  let argument: String?
  /// Receives the outcome once, during the call or later, as for a break. It receives none if the
  /// port is closed before.
  let answer: (CommandOutcome) -> Void

  init(
    from sender: Sender, at port: Port, user: (any CommandUser)? = nil,
    sendingBy messages: (any MessageSender)? = nil, argument: String? = nil,
    answer: @escaping (CommandOutcome) -> Void
  ) {
    self.sender = sender
    self.port = port
    self.user = user
    self.messages = messages ?? user
    self.argument = argument
    self.answer = answer
  }

  /// The observed state of the session.
  var state: TerminalState { port.model.state }

  /// Performs an action if the state meets the conditions; otherwise answers with the reason.
  func when(_ needs: [Need], _ perform: () -> Void) {
    if let reason = needs.unmet(in: state) { return answer(.unavailable(because: reason)) }
    perform()
  }
}

/// The user of a session, as commands see it.
protocol CommandUser: MessageSender {
  var loop: IOLoop { get }
  func ask<Answer>(_ question: Question<Answer>)
  /// Shows the present choices of the open question.
  func updateQuestion()
  /// Shows lines before a question about them.
  func show(_ lines: [String])
  /// The names of the commands that the user has run from the palette, the latest at the end.
  var usedCommands: [String] { get }
  /// Keeps that the user runs a command from the palette.
  func noteUse(of command: Command)
  /// Shows the list of all commands.
  func showCommandList()
  func clearScreen()
  /// Keeps for later sessions whether the user wants the status line.
  func rememberStatusLine(_ isOn: Bool)
  /// Opens the search in the received text.
  func openSearch()
  /// The numbers of frames that were shown; nil while none are shown.
  var frameCounts: FrameCounts? { get }
  /// The number of the device's escape sequences that were dropped, because they do more than
  /// draw.
  var droppedSequenceCount: Int { get }
  /// Asks which part of the received text to write to which file.
  func askWhatToWrite()
  /// Opens the plot of the numbers that the device sends, or gives it the keys.
  func showPlot() -> CommandOutcome
  /// Asks what of the plot to save, and where.
  func askWhatToSave()
  /// Reads numbers in a form from now on; nil to detect it.
  func readNumbers(as form: SampleForm?)
  /// Starts or stops the filter command.
  func toggleFilter()
  /// Sends the shell command that sets the size of its terminal to the size of the window.
  ///
  /// - Throws: ``Failure`` if there is no room for it.
  func sendScreenSize() throws(Failure)
  /// Starts to send or receive files.
  ///
  /// - Throws: ``Failure`` if a file cannot be used, or the line cannot carry the protocol.
  func transfer(_ order: TransferOrder) throws(Failure)
  /// The folder for received files.
  var receivingFolder: FilePath { get }
  /// Runs a script.
  ///
  /// - Throws: ``Failure`` if it cannot be read or contains a mistake.
  func run(script: FilePath) throws(Failure)
  /// Runs a shell command whose standard input and output are the port.
  ///
  /// - Throws: ``Failure`` if it cannot be run.
  func run(program: String) throws(Failure)
  /// The shell commands that were run, the latest at the end.
  var recentCommands: [String] { get }
  /// Stops the exchange that has the pen: a file, a script or a program.
  func stopExchange()
  /// Moves the focus to another port; nil for the next one.
  func moveFocus(to name: String?)
  /// The name of the port with the focus.
  var focusName: String { get }
  /// Sends typed bytes to all ports, or again to one.
  func toggleSendToAll()
  /// Opens another port, and moves the focus to it.
  ///
  /// - Throws: ``Failure`` if it cannot be opened.
  func connect(to endpoint: Endpoint) throws(Failure)
  /// Ends the session. Asks first if that would cut off a file, a script or a program.
  func quit()
}
