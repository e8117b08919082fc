import EventLoop
import SerialCore
import SessionKit
import SystemPackage
import TerminalFrontEnd

/// One use of a command: who sends it, what it acts on, and where the outcome goes.
struct CommandCall {
  /// The sender of a command.
  enum Sender: CaseIterable {
    case key, palette, json, script, signal
  }

  var sender: Sender
  /// Whether a user sends it, who sees the present values.
  var isFromUser: Bool { sender == .key || sender == .palette }
  /// The session that the command acts on.
  let port: any CommandPort
  /// The user of the session; nil if there is none.
  let user: (any CommandUser)?
  /// The argument as text; nil if the sender gives none.
  let argument: String?
  /// Receives the outcome once: during the call, or later, as for a break. It receives none if the port is
  /// closed first.
  let answer: (CommandOutcome) -> Void

  init(
    from sender: Sender, at port: any CommandPort, user: (any CommandUser)? = nil,
    argument: String? = nil, answer: @escaping (CommandOutcome) -> Void
  ) {
    self.sender = sender
    self.port = port
    self.user = user
    self.argument = argument
    self.answer = answer
  }

  /// The observed state of the session.
  var state: TerminalState { port.model.state }

  /// Performs an action if the state meets the conditions; otherwise answers with the reason.
  func when(_ needs: [Need], _ perform: () -> Void) {
    switch needs.availability(in: state) {
    case .enabled: perform()
    case .disabled(let reason): answer(.unavailable(because: reason))
    }
  }
}

/// The session of one port, as commands see it.
protocol CommandPort: AnyObject {
  var session: Session { get }
  /// The observed state, which decides what is available.
  var model: TerminalStateModel { get }
  /// Changes settings and modem lines, and sends breaks.
  var lineCommands: LineCommands { get }
  /// Plays line sequences.
  var sequences: SequencePlayer { get }
  var statistics: Statistics { get }
  var releaseDesk: ReleaseDesk { get }
  var log: LogKeeper { get }
  var marks: Marks { get }
  /// Where the user asks for the pen, and gives it away.
  var penDesk: any PenDesk { get }
  /// Lets clients join the session.
  var server: PortServer { get }
  /// Waits for clients at a place, which ``announcePlaces()`` says.
  ///
  /// - Throws: ``Failure``.
  func listen(at entrance: PortServer.Entrance) throws(Failure)
  /// Says where clients connect.
  func announcePlaces()
}

/// The user of a session, as commands see it.
protocol CommandUser: AnyObject {
  var loop: IOLoop { get }
  func ask<Answer>(_ question: Question<Answer>)
  /// Shows the present choices of the open question.
  func updateQuestion()
  /// Shows lines before a question about them.
  func show(_ lines: [String])
  /// Shows the list of all commands.
  func showCommandList()
  func clearScreen()
  /// Opens the search of what the device sent.
  func openSearch()
  /// Asks what of it to write to which file.
  func askWhatToWrite()
  /// Starts or stops the filter command.
  func toggleFilter()
  /// Sends bytes as a paste is sent: they are shown and mapped as what is typed, and nothing in them is a
  /// key.
  ///
  /// - Throws: ``Failure`` if there is no room for all of them; none is sent then.
  func send(_ bytes: [UInt8]) throws(Failure)
  /// Sends the command of a shell that sets the size of its terminal to that of the window.
  ///
  /// - Throws: ``Failure`` if there is no room for it.
  func sendScreenSize() throws(Failure)
  /// Starts to send or to receive files.
  ///
  /// - Throws: ``Failure`` if a file cannot be used, or the line cannot carry the protocol.
  func transfer(_ order: TransferOrder) throws(Failure)
  /// The folder for the files that are received.
  var receivingFolder: FilePath { get }
  /// Runs a script.
  ///
  /// - Throws: ``Failure`` if it cannot be read, or has a mistake.
  func run(script: FilePath) throws(Failure)
  /// Runs a shell command whose standard input and output are the port.
  ///
  /// - Throws: ``Failure`` if it cannot be run.
  func run(program: String) throws(Failure)
  /// The shell commands that were run, the last one at the end.
  var recentCommands: [String] { get }
  /// Stops what has the pen: a file, a script, a program.
  func stopExchange()
  /// Types to another port; nil for the next one.
  func moveFocus(to name: String?)
  /// The name of the port that the user types to.
  var focusName: String { get }
  /// Types to all ports, or to one again.
  func toggleSendToAll()
  /// Opens one more port, and types to it.
  ///
  /// - Throws: ``Failure`` if it cannot be opened.
  func connect(to endpoint: Endpoint) throws(Failure)
  /// Ends the session; asks first if that would cut off a file, a script or a program.
  func quit()
}
