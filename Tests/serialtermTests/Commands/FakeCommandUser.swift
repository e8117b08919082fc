import EventLoop
import Scripting
import SerialCore
import SystemPackage
import TerminalFrontEnd
import TerminalUI

@testable import serialterm

/// A user who answers every question in the same way, and records what commands did.
final class FakeCommandUser: CommandUser {
  let loop: IOLoop
  /// The title of the choice to choose; nil to cancel.
  var choice: String?
  /// Called while a question is open.
  var whileAsked: () -> Void = {}
  /// The titles of the questions, and what the other commands did.
  private(set) var events: [String] = []
  /// The choices of the last question: their titles, and why they are off.
  private(set) var choices: [(title: String, refusal: String?)] = []
  /// Why a file cannot be sent.
  var refusal: Failure?

  init(on loop: IOLoop) { self.loop = loop }

  func ask<Answer>(_ question: Question<Answer>) {
    events.append(question.title)
    whileAsked()
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
  func showCommandList() { events.append("list") }
  func clearScreen() { events.append("clear") }
  func openSearch() { events.append("search") }
  func askWhatToWrite() { events.append("write") }
  func toggleFilter() { events.append("filter") }
  func send(_ bytes: [UInt8]) throws(Failure) {
    if let refusal { throw refusal }
    events.append("send '\(EscapedText.text(of: bytes))'")
  }
  func sendScreenSize() throws(Failure) {
    if let refusal { throw refusal }
    events.append("size")
  }
  func send(_ file: FilePath) throws(Failure) {
    if let refusal { throw refusal }
    events.append("send \(file)")
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
