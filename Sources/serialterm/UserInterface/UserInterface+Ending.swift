import EventLoop
import Glibc
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools
import Time

/// The end of a session.
extension UserInterface {
  /// The maximum time for the user's terminal to show the remaining output.
  static let showPatience = Duration.milliseconds(200)
  /// The maximum time from the quit key to the end of the program.
  private static let leavingLimit = Duration.milliseconds(450)

  /// Ends the session. If that would cut off a file, a script or a program, the user is asked first.
  func quit() {
    if app.ports.allSatisfy({ $0.session.mayClose() }) { leave() }
  }

  /// Ends the session when the device has taken what was typed, or a time limit has passed.
  func leave() {
    leavingDeadline = loop.now + max(Self.leavingLimit, configuration.quitDrain)
    for port in app.ports { port.controller.exchange?.leave() }
    finishAfterSending(patience: Drain.Patience(total: configuration.quitDrain))
  }

  /// Asks whether to leave before an exchange has ended.
  func askWhetherToCut(_ exchange: Author, _ model: TerminalStateModel) {
    dialogs.ask(
      Question(
        title: "leave before \(exchange.completion.harmless)",
        choices: { [unowned model] _ in
          let progress = model.state.progress.map { "\($0)" } ?? ""
          let isPlain = if case .bytes = model.state.progress { true } else { false }
          let detail = isPlain ? "\(progress) sent" : progress
          return [
            Choice(
              id: false, title: exchange.continuation, synonyms: ["stay"], detail: detail),
            Choice(id: true, title: "leave now", synonyms: ["leave"]),
          ]
        },
        onAnswer: { [unowned self] leaves in
          if leaves { leave() }
        },
        onEnd: { [unowned self] in isAskingToQuit = false }))
    isAskingToQuit = true
  }

  func inputEnded(_ error: Errno?) {
    if let error { inputFailure = Failure(inputFailed: error) }
    if terminal != nil {
      // The user's terminal is gone. The kernel also reports this by SIGHUP to the leader of a session.
      return finish(.success(.signal(SIGHUP)))
    }
    input.stop()
    if configuration.isReadOnly && refusals.total == 0 {
      console.say(
        "standard input is empty, so the session ends. To keep logging, use 'serialterm log'.")
    }
    // Even if there is nothing to send, a reset of the device must be finished.
    controller.sequences.afterwards { [unowned self] in
      finishAfterSending(patience: nil, thenWaitingFor: configuration.linger)
    }
  }

  func outputIsGone(_ error: Errno) {
    let isTerminal = console.isOutputTerminal
    finish(isTerminal ? .success(.signal(SIGHUP)) : .failure(Failure(outputGone: error)))
  }

  /// Ends when the drivers have sent everything, or when the time limit has passed.
  private func finishAfterSending(
    patience: Drain.Patience?, thenWaitingFor linger: Duration = .zero
  ) {
    input.stop()
    var unfinished = app.ports.count
    drains = app.ports.map { port in
      Drain(port.session, on: loop, patience: patience) { [unowned self] in
        unfinished -= 1
        if unfinished == 0 { waitForAnswer(linger) }
      }
    }
  }

  /// Ends after a while, and when a pipe has taken everything. The time that the pipe holds the program up is not
  /// counted.
  private func waitForAnswer(_ linger: Duration) {
    lingerTimer = loop.schedule(after: linger) { [unowned self] in
      guard !console.isOutputTerminal, !console.isDrained else { return finish(.success(.done)) }
      drainedOutput = console.outputEvents.observe { [unowned self] in
        guard $0 == .drained else { return }
        drainedOutput = nil
        waitForAnswer(linger)
      }
    }
  }

  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> {
    guard case .success(let status) = outcome, status == .done || status == .otherFailure else {
      return outcome
    }
    if let inputFailure { return .failure(inputFailure) }
    // This was already reported on the way out.
    if terminal == nil && refusals.total > 0 { return .failure(Failure(.otherFailure, "")) }
    return outcome
  }

  /// The time that is left for the user's terminal to show the remaining output.
  private var showPatience: Duration {
    guard let leavingDeadline else { return Self.showPatience }
    return min(max(leavingDeadline - loop.now, .milliseconds(50)), Self.showPatience)
  }

  func finishOutput() throws { try plot.finish() }

  func stop() {
    input.stop()
    refusals.flush()
    dialogs.dismiss()
    for port in ports { port.stop() }
  }

  func giveBack() {
    for port in ports { port.finish() }
    finishLines()
    let untaken = console.finish(within: showPatience)
    terminal?.restore()
    if untaken > 0 && !console.isOutputTerminal {
      console.warn("\(untaken.bytesWere) received and not written: the output did not accept them.")
      _ = console.finish(within: .zero)
    }
  }
}
