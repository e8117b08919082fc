import Dialogues
import EventLoop
import Framing
import Plotting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TransferProtocols

@testable import serialterm

/// A user who answers every question in the same way, and records the calls of commands.
final class FakeCommandUser: CommandUser {
  var frameCounts: FrameCounts?
  var droppedSequenceCount = 0
  let loop: IOLoop
  /// The title of the choice to select; nil to cancel.
  var choice: String?
  /// The title of the choice for later questions; nil for the same as the first.
  var laterChoice: String?
  /// Called while a question is open.
  var whileAsked: () -> Void = {}
  /// The titles of the questions, and the calls of other commands.
  private(set) var events: [String] = []
  private var hasAsked = false
  /// The titles of the choices in the last question, with the reasons why they are unavailable.
  private(set) var choices: [(title: String, refusal: String?)] = []
  /// The error of sending a file; nil for success.
  var refusal: Failure?

  init(on loop: IOLoop) { self.loop = loop }

  /// Treats the next question as the first one again.
  func forgetQuestions() { hasAsked = false }

  func ask<Answer>(_ question: Question<Answer>) {
    events.append(question.title)
    whileAsked()
    let choice = hasAsked ? laterChoice ?? choice : choice
    hasAsked = true
    let choices = question.choices("")
    self.choices = choices.map { ($0.title, $0.refusal) }
    let chosen = choice.flatMap { choice in choices.first { $0.title.hasPrefix(choice) } }
    if let chosen {
      question.onAnswer(chosen.id)
    } else if let answer = choice.flatMap({ question.answer($0) }) {
      question.onAnswer(answer)
    } else {
      question.onCancel()
    }
    question.onEnd()
  }

  func show(_ lines: [String]) { events += lines }
  func updateQuestion() {}
  /// The names of the commands that were run from the palette.
  var usedCommands: [String] = []
  func noteUse(of command: Command) { usedCommands.insert(command.name, at: 0) }
  func showCommandList() { events.append("list") }
  func clearScreen() { events.append("clear") }
  func rememberStatusLine(_ isOn: Bool) { events.append("status line \(isOn.onOff)") }
  func openSearch() { events.append("search") }
  func askWhatToWrite() { events.append("write") }
  func showPlot() -> CommandOutcome {
    events.append("plot")
    return .done
  }
  func askWhatToSave() { events.append("save plot") }
  func readNumbers(as form: SampleForm?) { events.append("numbers as \(form?.name ?? "auto")") }
  func toggleFilter() { events.append("filter") }
  func send(_ text: [UInt8], done: @escaping () -> Void) throws(Failure) {
    if let refusal { throw refusal }
    events.append("send '\(EscapedText.text(of: text))'")
    done()
  }
  func sendScreenSize() throws(Failure) {
    if let refusal { throw refusal }
    events.append("size")
  }
  var receivingFolder: FilePath { "received" }

  func transfer(_ order: TransferOrder) throws(Failure) {
    if let refusal { throw refusal }
    switch order.files {
    case .send(let paths):
      events.append("send \(paths) by \(order.fileProtocol.rawValue)")
    case .receive(let folder, let rules):
      let name = rules.name.map { "/\($0)" } ?? ""
      events.append("receive into \(folder)\(name) by \(order.fileProtocol.rawValue)")
    }
  }
  func run(script: FilePath) throws(Failure) {
    if let refusal { throw refusal }
    events.append("run \(script)")
  }
  var recentCommands: [String] = []
  func run(program: String) throws(Failure) {
    if let refusal { throw refusal }
    events.append("run \(program)")
  }
  func startRepeating(_ order: RepeatOrder) {
    events.append("repeat \(order.text) every \(order.interval)")
  }
  func stopRepeating() -> CommandOutcome {
    events.append("stop repeating")
    return .done
  }
  func stopExchange() { events.append("stop") }
  var focusName = "ttyFAKE"
  func moveFocus(to name: String?) { events.append("focus \(name ?? "next")") }
  func toggleSendToAll() { events.append("all") }
  func connect(to endpoint: Endpoint) throws(Failure) {
    if let refusal { throw refusal }
    events.append("connect \(endpoint)")
  }
  func quit() { events.append("quit") }
}
