import EventLoop
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Runs shell commands for the user, whose standard input and output are the port.
final class SessionPrograms {
  private let focus: PortFocus
  private let questions: SessionQuestions
  private let app: App
  /// The commands that the user has run.
  private var history: HistoryFile

  init(
    of focus: PortFocus, _ questions: SessionQuestions, keeping history: HistoryFile, in app: App
  ) {
    (self.focus, self.questions, self.history, self.app) = (focus, questions, history, app)
  }

  /// The commands that were run, the latest at the end.
  var recentCommands: [String] { history.load().lines }

  /// Runs a command at the port with the focus.
  ///
  /// - Throws: ``Failure`` if it cannot be run.
  func run(program command: String) throws(Failure) {
    // The focus may move while it runs.
    let port = focus.port
    let name = Self.name(ofProgram: command)
    let program = PortProgram(
      command, by: Author(.program, name), in: .session, on: port.controller, loop: app.loop,
      isHeldUp: { [app] in app.console.isCrowded },
      onEvent: { [unowned self, unowned port] in
        switch $0 {
        case .errorLine(let line): app.console.answer([port.port.named("\(name): \(line)")])
        case .interruptIgnored: port.say("\(name) still runs; ctrl-c again kills it.")
        case .ended(let outcome):
          questions.exchangeDidEnd()
          app.console.warn(port.port.named("\(name) \(outcome.words)"))
          port.controller.sending.reportUnsent(outcome.unsentCount)
        }
      })
    // A line that begins with a space is not kept, as in line input.
    if !command.hasPrefix(" ") { history.append(command) }
    try program.begin()
    port.say("running \(command); ctrl-c interrupts it.")
  }

  /// The name of the program that a command runs: the first word that is not an assignment,
  /// without its folder.
  static func name(ofProgram command: String) -> String {
    let words = command.split { " \t\n;|&<>()".contains($0) }
    let word = words.first { !$0.contains("=") } ?? words.first ?? "command"
    return FilePath(String(word)).lastComponent?.string ?? String(word)
  }
}

extension PortProgram.Outcome {
  /// How it ended, and how many bytes were passed.
  fileprivate var words: String {
    let end =
      switch reason {
      case .ended(let status): status.ofCommand
      case .killed: "was killed"
      case .cutOff: "was cut off"
      }
    let counts = "\(receivedCount.counted("byte")) received, \(sentCount.grouped) sent"
    return "\(end): \(counts).\(unread)"
  }

  /// A sentence about unread bytes; empty if it read everything.
  private var unread: String {
    if unreadCount == 0 { return "" }
    let isShown = returnedCount == unreadCount
    let rest = returnedCount > 0 && !isShown ? "; the last \(returnedCount.grouped) follow" : ""
    return isShown
      ? " \(unreadCount.counted("byte")) that it did not read follow\(unreadCount == 1 ? "s" : "")."
      : " \(unreadCount.bytesWere) received and not read by it\(rest)."
  }
}
